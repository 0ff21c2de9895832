/** What repositories and tasks have named or written is shown to people: it must neither talk to their terminal nor pretend to be Piton. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, inRepository } from '../cli/delivered.ts';
import type { Project } from '../cli/command-line.ts';
import { binary } from '../support/built.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const hostile = 'evil\u001b]0;pwned\u0007\u001b[8m\u009b2J\u202e\nRun r1 succeeded\r';
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** What Piton never sends to a terminal. */
// eslint-disable-next-line no-control-regex
const foreign = /\u001b\]|\u001b\[8m|[\u0007\u0080-\u009f\u202e]/;

/** Its run `r1` has brought in files with such names and texts; a task of its run `r2` has failed with such words. */
async function hostileProject(): Promise<Project> {
  const project = inRepository();
  const files = temporaryFolder();
  for (const name of ['.github/workflows/', 'src/'].map((folder) => join(files, folder, `${hostile}.yml`))) {
    mkdirSync(join(name, '..'), { recursive: true });
    writeFileSync(name, `+\u001b[8mhidden\u001b[0m\n`);
  }
  project.write('.claude/skills/' + hostile, hostile);
  project.write(`.piton/workflows/${hostile}.yaml`, 'name: x\ntasks: { a: { run: echo } }\n');
  const quoted = JSON.stringify(hostile);
  project.write(
    '.piton/workflows/good.yaml',
    `name: ${quoted}
description: ${quoted}
tasks:
  fix: { run: "cp -R '${files}/.' .", workspace: worktree, writes: [.github/workflows/**, src/**] }
`,
  );
  project.write(
    '.piton/workflows/bad.yaml',
    `name: ${quoted}
tasks:
  list: { run: [printf, "%s", ${JSON.stringify(JSON.stringify([hostile]))}], capture: json }
  each:
    needs: list
    for-each: { in: "\${{ tasks.list.output }}", as: it, key: "\${{ it }}" }
    run: [sh, -c, 'printf %s "$1" >&2; exit 1', sh, "\${{ it }}"]
`,
  );
  const { code, stderr } = await project.piton(['run', 'good', '--id', 'r1']);
  if (code !== 0) throw new Error(stderr);
  const { code: other, stderr: why } = await project.piton(['run', 'bad', '--id', 'r2']);
  if (other !== 1) throw new Error(why);
  return project;
}

test('no command shows an escape, or a line of its own, of a name or a text that is not Piton’s', async () => {
  const { piton } = await hostileProject();
  const state = temporaryFolder();
  const reading = [
    [],
    ['status', 'r1'],
    ['status', 'r2'],
    ['list'],
    ['inbox'],
    ['show', 'r1'],
    ['show', 'r1', 'fix'],
    ['show', 'r2'],
    ['history', 'r1'],
    ['history', 'r2'],
    ['logs', 'r2'],
    ['search', 'evil'],
    ['validate'],
    ['doctor'],
    ['graph', 'good'],
    ['drift', 'r1'],
    ['workspace', 'list', '--all'],
    ['workspace', 'clean', '--dry-run'],
    ['verify'],
    ['run', 'good', '--dry-run'],
    ['resume', 'r2', '--dry-run'],
    ['retry', 'r2'],
    ['merge', 'r1', '--dry-run'],
    ['merge', 'r1'],
    ['show', 'no\u001b[8msuch'],
  ];
  const found: unknown[] = [];
  for (const args of reading) {
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await piton([...args, ...more]);
      if (controls.test(stdout + stderr)) found.push([args, 'escape', stdout + stderr]);
      const isSpoofed = args[0] !== 'logs' && /^Run r1 succeeded/m.test(stdout + stderr);
      if (isSpoofed) found.push([args, 'line', stdout + stderr]);
    }
  }
  expect(found).toEqual([]);
  const env = { PITON_TRUST: '', XDG_STATE_HOME: state };
  const shown = [await piton(['run', 'good'], { env }), await piton(['trust', '--yes'], { env })];
  shown.push(await piton(['trust', 'list'], { env }));
  for (const { stdout, stderr } of shown) {
    expect(stdout + stderr).not.toMatch(controls);
    expect(stdout + stderr).not.toMatch(/^Run r1 succeeded/m);
  }
});

test('a command that is offered can be typed, whatever the names in it are', async () => {
  const { piton, write, folder: root } = inRepository();
  const folder = 'a;$(touch pwned)';
  write(`${folder}/a.txt`, 'a');
  git(root, 'add', '.');
  git(root, 'commit', '-qm', 'second');
  write(
    `${folder}/.piton/workflows/flow.yaml`,
    'name: flow\ntasks: { a: { run: "echo $SECRET > x", secrets: [SECRET], workspace: worktree } }\n',
  );
  const env = { SECRET: 'not-to-be-shown' };
  const { stdout } = await piton(['run', 'flow', '--id', 'r1'], { in: folder, env });
  expect(stdout).toMatch(/git -C '[^']*a;\$\(touch pwned\)[^']*' reset --soft/);
});

const hasTerminals = process.platform === 'linux' && existsSync('/usr/bin/script');

test.runIf(hasTerminals)(
  'on a terminal a diff says what it holds, and progress is drawn by Piton alone',
  async () => {
    const { folder } = await hostileProject();
    const shown = (args: string, env: Readonly<Record<string, string>>): string => {
      const line = `exec "${process.execPath}" "${binary}" ${args}`;
      const all = { ...process.env, TERM: 'xterm', GIT_PAGER: 'cat', ...env };
      const told = { cwd: folder, env: all, encoding: 'utf8' } as const;
      return spawnSync('script', ['-qfec', line, '/dev/null'], told).stdout.replaceAll('\r\n', '\n');
    };
    for (const colours of [{ NO_COLOR: '' }, { NO_COLOR: '1' }]) {
      const [before = ''] = shown('diff r1 -p', colours).split('Next:');
      expect(before).toContain(String.raw`++\u{1b}[8mhidden\u{1b}[0m`);
      for (const args of ['diff r1 --stat', 'run bad', 'logs r2', 'attach r2', 'show r2', 'status r2'])
        expect(before + shown(args, colours)).not.toMatch(foreign);
    }
  },
);
