import type { Defect } from './defect.ts';

/** Backups, restores, and repairs by policy. */
export const keeping: readonly Defect[] = [
  {
    name: 'backups of a damaged store take the places of the sound ones',
    file: 'src/engine/rotate-backups.ts',
    find: 'await store.backup(file, { isChecked: true });',
    replace: 'await store.backup(file, { isChecked: false });',
    tests: ['test/library/backups.test.ts'],
  },
  {
    name: 'every process that drives makes a backup of its own',
    file: 'src/engine/rotate-backups.ts',
    find: 'if (!taken) return undefined;',
    replace: '',
    tests: ['test/library/backups.test.ts'],
  },
  {
    name: 'backups are kept for ever',
    file: 'src/engine/rotate-backups.ts',
    find: '.slice(policy.keep)',
    replace: '.slice(1_000)',
    tests: ['test/library/backups.test.ts', 'test/crash/backup-kills.test.ts'],
  },
  {
    name: 'functions that have run since a backup run again after its restore',
    file: 'src/engine/join-restored.ts',
    find: 'if (end?.hash === hash) return undefined;',
    replace: 'if (end === undefined || end.hash === hash || true) return undefined;',
    tests: ['test/library/backups.test.ts'],
  },
  {
    name: 'nothing is held after a restore in the place of a store that cannot be read',
    file: 'src/engine/join-restored.ts',
    find: 'const mayHaveGoneOn = end !== undefined || !isFinal(status);',
    replace: 'const mayHaveGoneOn = end !== undefined && !isFinal(status);',
    tests: ['test/library/backups.test.ts'],
  },
  {
    name: 'a restore that is killed leaves an old store whose runs are said to be behind',
    file: 'src/engine/repair.ts',
    find: ' && !isRestored)',
    replace: ')',
    tests: ['test/cli/store.test.ts'],
  },
  {
    name: 'a backup of another store is restored',
    file: 'src/store/sqlite/restore.ts',
    find: '    assertRelated(backup, database, present);\n',
    replace: '',
    tests: ['test/library/backups.test.ts'],
  },
  {
    name: 'a damaged run is taken back although nobody wants that',
    file: 'src/interfaces/cli/drive/mend-run.ts',
    find: "if (config.onDamage !== 'repair') return;",
    replace: '',
    tests: ['test/cli/on-damage.test.ts'],
  },
  {
    name: 'the lost files of an attempt under way are not noticed',
    file: 'src/engine/verify-around.ts',
    find: 'if (attempt?.process === undefined || attempt.isOfParent === true) continue;',
    replace: 'if (attempt === undefined || attempt.number > 0) continue;',
    tests: ['test/cli/verify.test.ts'],
  },
  {
    name: 'nothing is kept of a store whose format is changed',
    file: 'src/store/sqlite/migrate.ts',
    find: 'if (isCopy !== true) keepOldFormat(place, version);',
    replace: '',
    tests: ['test/store/old-formats.test.ts'],
  },
];
