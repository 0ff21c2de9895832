/** Somebody has cloned or unpacked a repository full of traps, and looks at it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Power } from '../../src/interfaces/cli/command-entry.ts';
import { commandTable } from '../../src/interfaces/cli/command-table.ts';
import { binary } from '../support/built.ts';
import { newProject } from '../cli/command-line.ts';
import { hostileClone, bringStore, type HostileClone } from '../support/hostile-clone.ts';
import { acting, reading } from '../support/hostile-calls.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Calls the real command line there. */
function call({ folder, env }: HostileClone, args: readonly string[]): string {
  const settings = { cwd: folder, env: { ...process.env, PITON_DURABILITY: 'process', ...env } };
  const { stdout, stderr } = spawnSync(process.execPath, [binary, ...args], {
    ...settings,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return stdout + stderr;
}

async function withRuns(clone: HostileClone): Promise<HostileClone> {
  const { folder, piton, write } = newProject();
  write('.piton/workflows/hello.yaml', 'name: hello\ntasks: { a: { run: echo hello } }\n');
  await piton(['run', 'hello', '--id', 'run']);
  for (const ending of ['wal', 'shm', 'journal']) rmSync(join(clone.folder, `.piton/piton.db-${ending}`));
  bringStore(clone, folder);
  return clone;
}

/** Those that say most, each by a process of its own; all of them in `hostile-clone.deep.test.ts`. */
const some = [['doctor'], ['workspace', 'list'], ['validate'], ['run', 'hello'], ['trust']];

describe('a hostile clone', () => {
  test('has every command of the table called in it that can be called to look', () => {
    const powerOf = (args: readonly string[]): Power | undefined => {
      const entry = commandTable.find(({ name }) => name === args[0]);
      const options = { dryRun: args.includes('--dry-run'), print: args.includes('--print') };
      const given = { args: args.slice(1), options };
      return typeof entry?.power === 'function' ? entry.power(given) : entry?.power;
    };
    expect(reading.filter((args) => powerOf(args) !== 'reads')).toEqual([]);
    const looking = commandTable.filter(({ power }) => power === 'reads' || typeof power === 'function');
    const called = new Set(reading.map(([name]) => name));
    expect(looking.map(({ name }) => name).filter((name) => !called.has(name))).toEqual(['demo']);
    expect(acting.filter((args) => powerOf(args) === 'reads')).toEqual([]);
  });

  test('executes nothing and changes nothing around it, with links in the place of its state', () => {
    const clone = hostileClone(temporaryFolder());
    const before = clone.surroundings();
    for (const args of some) {
      call(clone, args);
      expect([args, clone.executed(), clone.surroundings()]).toEqual([args, '', before]);
    }
  });

  test('nor where it brings runs with it', async () => {
    const clone = await withRuns(hostileClone(temporaryFolder()));
    const before = clone.surroundings();
    expect(call(clone, ['status'])).toContain('hello');
    for (const args of some) {
      call(clone, args);
      expect([args, clone.executed(), clone.surroundings()]).toEqual([args, '', before]);
    }
  });

  test('nor by what git would fetch from, which is asked before somebody is', () => {
    const clone = hostileClone(temporaryFolder());
    const env = { ...clone.env, PATH: process.env['PATH']! };
    for (const args of [['trust'], ['run', 'hello'], ['graph', 'code']]) {
      expect(call({ ...clone, env }, args)).toContain('trust');
      expect([args, clone.executed()]).toEqual([args, '']);
    }
  });

  test('has no device or pipe read that is in the place of a file', async () => {
    const { folder, binary: start, write } = newProject();
    write('.piton/workflows/uses.yaml', 'name: x\ntasks: { a: { uses: /dev/zero } }\n');
    execFileSync('mkfifo', [join(folder, '.piton/workflows/pipe.yaml')]);
    symlinkSync('/dev/zero', join(folder, '.piton/workflows/endless.yaml'));
    const { stdout } = await start(['validate']);
    expect(stdout.match(/a device or a pipe/g)).toHaveLength(3);
    symlinkSync('/dev/zero', join(folder, '.piton/config.yaml'));
    expect((await start(['list'])).stderr).toContain('CONFIG_INVALID');
  });

  test('has no file removed that a journal of its store names', async () => {
    const clone = await withRuns(hostileClone(temporaryFolder()));
    const store = join(clone.folder, '.piton/piton.db');
    writeFileSync(`${store}-journal`, journalNaming(join(clone.around, 'victim'), readFileSync(store)));
    expect(call(clone, ['list'])).toContain('STORE_UNREADABLE');
    expect(readFileSync(join(clone.around, 'victim'), 'utf8')).toContain('precious');
  });
});

/** As SQLite leaves it when it dies in the middle of a change of several databases. */
function journalNaming(file: string, store: Buffer): Buffer {
  const magic = Buffer.from('d9d505f920a163d7', 'hex');
  const pageBytes = store.readUInt16BE(16);
  const numbers = (...all: number[]): Buffer => {
    const bytes = Buffer.alloc(4 * all.length);
    for (const [index, number] of all.entries()) bytes.writeUInt32BE(number, 4 * index);
    return bytes;
  };
  const header = Buffer.alloc(512);
  Buffer.concat([magic, numbers(0, 0, store.length / pageBytes, 512, pageBytes)]).copy(header);
  const name = Buffer.from(file);
  const sum = name.reduce((total, byte) => total + byte, 0);
  return Buffer.concat([header, numbers(0x40000000 / pageBytes + 1), name, numbers(name.length, sum), magic]);
}
