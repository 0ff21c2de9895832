import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { binary } from '../support/built.ts';
import { git, inRepository, withRun } from './delivered.ts';
import { played, writeFlow } from './played.ts';

test('what a run and a task have changed is shown as a summary, as a patch, as names and as JSON', async () => {
  const { piton, json, folder } = await withRun();
  const { code, stdout } = await piton(['diff']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ b\.txt \| 1 \+\n 1 file changed, 1 insertion\(\+\)\n/);
  const patch = (await piton(['diff', 'r1', '-p'])).stdout;
  expect(patch).toMatch(/^diff --git a\/b\.txt b\/b\.txt\n[\s\S]*\n\+two\n$/);
  expect((await piton(['diff', 'r1', 'fix', '--name-only'])).stdout).toBe('b.txt\n');
  const tip = git(folder, 'rev-parse', 'piton/r1');
  const from = git(folder, 'rev-parse', 'main');
  const files = [{ path: 'b.txt', added: 1, removed: 0 }];
  expect(await json(['diff'])).toEqual({ run: 'r1', task: null, from, to: tip, files });
  expect(await json(['diff', 'r1', 'fix', '--patch'])).toMatchObject({ task: 'fix', files, patch });
});

test('what a held task has left in its worktree is shown as it is now', async () => {
  const project = inRepository();
  const { piton, json } = project;
  const check = { run: 'false', revise: 0 };
  writeFlow(project, {
    fix: played([[{ edit: { file: 'b.txt', text: 'two\n' } }, { answer: 'done' }]], { check }),
  });
  await piton(['run', 'flow', '--id', 'r1']);
  const { files } = (await json(['diff', 'r1', 'fix'])) as { files: object[] };
  expect(files).toEqual([{ path: 'b.txt', added: 1, removed: 0 }]);
});

test('what cannot be shown is told: an unknown task, a task without a place, two forms at once', async () => {
  const project = inRepository();
  const { piton } = project;
  writeFlow(project, {
    fix: played([[{ edit: { file: 'b.txt', text: 'two\n' } }, { answer: 'done' }]]),
    look: { run: 'true', workspace: 'shared' },
  });
  await piton(['run', 'flow', '--id', 'r1']);
  const unknown = await piton(['diff', 'r1', 'fixx']);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Did you mean fix?')]);
  const shared = await piton(['diff', 'r1', 'look']);
  expect([shared.code, shared.stderr]).toEqual([2, expect.stringContaining('has no place of its own')]);
  expect((await piton(['diff', '-p', '--stat'])).code).toBe(2);
});

const hasTerminals = process.platform === 'linux' && existsSync('/usr/bin/script');

test.runIf(hasTerminals)(
  'on a terminal it is coloured, goes through the pager of git, and ends with what to do next',
  async () => {
    const { folder } = await withRun();
    const shown = (args: string, env: Readonly<Record<string, string>>): string => {
      const line = `exec "${process.execPath}" "${binary}" diff r1 ${args}`;
      const options = {
        cwd: folder,
        env: { ...process.env, TERM: 'xterm', NO_COLOR: '', ...env },
        encoding: 'utf8',
      } as const;
      return spawnSync('script', ['-qfec', line, '/dev/null'], options).stdout.replaceAll('\r', '');
    };
    const paged = shown('-p', { GIT_PAGER: "sed 's/^/> /'" });
    expect(paged).toMatch(/^> .*diff --git/m);
    expect(paged).toContain('\u001b[32m+');
    expect(paged).toMatch(/Next:.* piton merge r1\n.*or:.* piton pr r1\n$/);
    const pager = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.pager',
      GIT_CONFIG_VALUE_0: "sed 's/^/git: /'",
    };
    expect(shown('--name-only', { PAGER: 'false', ...pager })).toMatch(/^git: b\.txt$/m);
    git(folder, 'config', 'core.pager', "sed 's/^/planted: /'");
    expect(shown('--name-only', { PAGER: 'cat' })).toMatch(/^b\.txt$/m);
    expect(shown('--name-only', { GIT_PAGER: 'no-such-pager' })).toMatch(/^b\.txt$/m);
  },
);
