/** Every call in a hostile clone, watched by a tracer: what is started is Piton's own choice. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newProject } from '../cli/command-line.ts';
import { binary } from '../support/built.ts';
import { acting, reading } from '../support/hostile-calls.ts';
import { bringStore, hostileClone, type HostileClone } from '../support/hostile-clone.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const hasTracer = spawnSync('strace', ['-V']).error === undefined;

/** The files that were executed by a call, whoever has started them. */
function traced({ folder, env, around }: HostileClone, args: readonly string[]): string[] {
  const trace = join(around, 'home/.cache/trace');
  const settings = { cwd: folder, env: { ...process.env, ...env } };
  const watching = ['-f', '-qq', '-s', '4096', '-e', 'trace=execve', '-o', trace];
  spawnSync('strace', [...watching, process.execPath, binary, ...args], { ...settings, timeout: 60_000 });
  const lines = readFileSync(trace, 'utf8').split('\n');
  const begun = lines.filter((line) => line.endsWith(' = 0'));
  return [...new Set(begun.flatMap((line) => /execve\("([^"]+)"/.exec(line)?.[1] ?? []))].sort();
}

/** Of the system, or of the installation that is tested. */
function isOwnChoice(file: string): boolean {
  return file === process.execPath || /^\/(usr\/(local\/)?)?(s?bin|lib)\//.test(file);
}

describe.skipIf(!hasTracer).each(['links', 'runs'] as const)('a hostile clone that brings %s', (brings) => {
  test.each([...reading, ...acting].map((args) => [args.join(' '), args] as const))(
    'piton %s',
    async (_, args) => {
      const clone = hostileClone(temporaryFolder());
      if (brings === 'runs') {
        const { folder, piton, write } = newProject();
        write('.piton/workflows/hello.yaml', 'name: hello\ntasks: { a: { run: echo hello } }\n');
        await piton(['run', 'hello', '--id', 'run']);
        for (const ending of ['wal', 'shm', 'journal'])
          rmSync(join(clone.folder, `.piton/piton.db-${ending}`));
        bringStore(clone, folder);
      }
      const before = clone.surroundings();
      const started = traced(clone, args);
      expect(started).toContain(process.execPath);
      expect(started.filter((file) => !isOwnChoice(file))).toEqual([]);
      expect([clone.executed(), clone.surroundings()]).toEqual(['', before]);
    },
  );
});
