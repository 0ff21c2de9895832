import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathWithoutGh, standInGh } from '../support/stand-in-gh.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { newProject, type Answer, type Project } from './command-line.ts';
import { git, inRepository } from './delivered.ts';

interface Found {
  readonly level: string;
  readonly kind: string;
  readonly task?: string;
  readonly line?: number;
  readonly path: string;
  readonly message: string;
}

/** A PATH with the usual tools of a shell, these stand-ins, and nothing else. */
function pathWith(...programs: string[]): string {
  const bin = temporaryFolder();
  for (const name of ['sh', 'git', 'cat', 'echo', 'true', 'dirname', 'touch', 'wc', 'tr', 'grep']) {
    const file = execFileSync('sh', ['-c', `command -v ${name} || true`], { encoding: 'utf8' }).trim();
    if (file.startsWith('/')) symlinkSync(file, join(bin, name));
    else symlinkSync('/bin/true', join(bin, name));
  }
  for (const name of programs) symlinkSync('/bin/true', join(bin, name));
  return bin;
}

interface Given {
  readonly path?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What the preflight says of a workflow of these keys. */
async function found(
  project: Project,
  workflow: Readonly<Record<string, unknown>>,
  { path = pathWith(), env = {} }: Given = {},
): Promise<Found[]> {
  project.write('.piton/workflows/w.yaml', JSON.stringify({ name: 'w', ...workflow }, null, 2));
  const { stdout, stderr } = await project.piton(['validate', 'w', '--preflight', '--json'], {
    env: { PATH: path, HOME: project.folder, XDG_CONFIG_HOME: join(project.folder, 'settings'), ...env },
  });
  if (stdout === '') throw new Error(stderr);
  const { workflows } = JSON.parse(stdout) as { workflows: { preflight?: Found[]; problems: unknown }[] };
  if (workflows[0]!.preflight === undefined) throw new Error(JSON.stringify(workflows[0]!.problems));
  return workflows[0]!.preflight;
}

const brief = (findings: readonly Found[]): string[] =>
  findings.map(({ level, kind, task = '-' }) => `${level} ${kind} ${task}`);

const run = (
  project: Project,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  project.piton(['run', 'w', ...args], { env: { PATH: pathWith(), HOME: project.folder, ...env } });

test('everything that is missing is told at once, with its place, and nothing is written down', async () => {
  const project = newProject();
  project.write(
    '.piton/workflows/w.yaml',
    `name: w
tasks:
  build:
    agent: [codex, claude]
    prompt: Build it.
    check: no-such-tool --all
  ship:
    run: another-tool
    secrets: [SHIP_TOKEN]
`,
  );
  const { code, stderr, stdout } = await run(project);
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(
    /w\.yaml:4:5 tasks\.build\.agent: None of its agents is installed: .*`codex` and no `claude`/,
  );
  expect(stderr).toMatch(/w\.yaml:6:5 tasks\.build\.check: `no-such-tool` is not on the PATH/);
  expect(stderr).toMatch(/w\.yaml:8:5 tasks\.ship\.run: `another-tool` is not on the PATH/);
  expect(stderr).toMatch(/w\.yaml:9:5 tasks\.ship\.secrets: The secret SHIP_TOKEN is not in the environment/);
  expect(stderr).toMatch(/--force\.\n  \(PREFLIGHT_FAILED\)/);
  expect(existsSync(join(project.folder, '.piton/piton.db'))).toBe(false);
});

test('with --force it is started nevertheless, and what is missing is told', async () => {
  const project = newProject();
  project.write('.piton/workflows/w.yaml', 'name: w\ntasks:\n  a: { run: no-such-tool }\n');
  const { code, stderr } = await run(project, ['--id', 'r1', '--force']);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'error: .piton/workflows/w.yaml:3:8 tasks.a.run: `no-such-tool` is not on the PATH',
  );
  expect(await project.json(['show', 'r1'])).toMatchObject({ status: 'failed' });
});

test('in the background it is refused before anything is left there', async () => {
  const project = newProject();
  project.write('.piton/workflows/w.yaml', 'name: w\ntasks:\n  a: { run: no-such-tool }\n');
  const { code, stderr } = await run(project, ['--detach', '--json']);
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!) as {
    error: { code: string; details: { findings: Found[] } };
  };
  expect([code, error.code]).toEqual([2, 'PREFLIGHT_FAILED']);
  expect(error.details.findings).toMatchObject([{ level: 'error', kind: 'program', task: 'a', line: 3 }]);
  expect(existsSync(join(project.folder, '.piton/logs'))).toBe(false);
});

test('a run that is there already is attached to without being looked at', async () => {
  const project = newProject();
  project.write('.piton/workflows/w.yaml', 'name: w\ntasks:\n  a: { run: "true" }\n');
  expect((await run(project, ['--id', 'r1'])).code).toBe(0);
  project.write('.piton/workflows/w.yaml', 'name: w\ntasks:\n  a: { run: no-such-tool }\n');
  expect((await run(project, ['--id', 'r1'])).stderr).not.toContain('PREFLIGHT_FAILED');
});

test('of several agents one that is there will do, and it is told that it is not the first', async () => {
  const project = newProject();
  const tasks = { a: { agent: ['codex', 'claude'], prompt: 'Do it.' } };
  const env = { ANTHROPIC_API_KEY: 'key-of-nobody' };
  const findings = await found(project, { tasks }, { path: pathWith('claude'), env });
  expect(findings).toMatchObject([
    {
      level: 'warning',
      kind: 'agent',
      task: 'a',
      message: 'Codex is not installed; Claude Code will be used instead.',
    },
  ]);
  expect(
    await found(project, { tasks }, { path: pathWith('codex', 'claude'), env: { OPENAI_API_KEY: 'x' } }),
  ).toEqual([]);
});

test('an agent without any sign of a login is a warning; the program that a task or the project names is looked for', async () => {
  const project = newProject();
  const claude = { tasks: { a: { agent: 'claude', prompt: 'Do it.' } } };
  expect(brief(await found(project, claude, { path: pathWith('claude') }))).toEqual(['warning login a']);
  project.write('.claude/.credentials.json', '{}');
  expect(await found(project, claude, { path: pathWith('claude') })).toEqual([]);
  project.write('.piton/config.yaml', 'agents: { claude: { executable: my-claude } }\n');
  expect(brief(await found(project, claude, { path: pathWith('claude') }))).toEqual(['error agent a']);
  expect(await found(project, claude, { path: pathWith('my-claude') })).toEqual([]);
  const named = {
    tasks: { a: { agent: 'command', args: ['my-agent'], permissions: 'full', prompt: 'Do it.' } },
  };
  expect(brief(await found(project, named))).toEqual(['error agent a']);
  expect(await found(project, named, { path: pathWith('my-agent') })).toEqual([]);
});

const programs: readonly (readonly [run: string | readonly string[], levels: readonly string[]])[] = [
  ['nope', ['error']],
  ['A=1 B=2 nope x', ['error']],
  [['nope', 'x'], ['error']],
  ['/no/such/program', ['error']],
  ['./no/such/script.sh', ['error']],
  ['sh scripts/nope.sh', ['error']],
  ['nope && true', ['warning']],
  ['true | nope', ['warning']],
  ['if true; then nope; fi', ['warning']],
  ['nope\nnope\nalso-nope', ['warning', 'warning']],
  // What cannot be known is not told.
  ['true', []],
  ['echo hello; cd .; [ 1 = 1 ] && export A=1', []],
  ['"$TOOL" x', []],
  ['$(which nope) x', []],
  ['PATH=/somewhere:$PATH nope', []],
  ['nope() { true; }; nope', []],
  ['. ./functions.sh; nope', []],
  ['command -v nope || true', []],
  ['command -v nope && nope x', []],
  ['case $1 in nope) true ;; esac', []],
  ["cat <<'X'\nnope\nX", []],
  ['# nope\ntrue', []],
  ['for nope in a b; do echo $nope; done', []],
  ['[[ -f nope && -d other ]]', []],
  ['sh -c "nope"', []],
];

test('of a command it is told what is missing for certain, what may be, and nothing of what cannot be known', async () => {
  const tasks = Object.fromEntries(programs.map(([run], index) => [`t${index}`, { run }]));
  const findings = await found(newProject(), { tasks });
  const levels = (name: string): string[] =>
    findings.filter(({ task }) => task === name).map(({ level }) => level);
  expect(programs.map(([run], index) => [run, levels(`t${index}`)])).toEqual(programs);
});

test('a program that an earlier task or the setup may install stops nothing', async () => {
  const project = newProject();
  const uses = { run: 'nope', needs: ['first'] };
  const level = async (first: object): Promise<string[]> =>
    (await found(project, { tasks: { first, uses } }, { path: pathWith('pip', 'npm') }))
      .filter(({ task }) => task === 'uses')
      .map(({ level }) => level);
  expect(await level({ run: 'pip install nope' })).toEqual(['warning']);
  expect(await level({ run: 'true; sh ./prepare-all' })).toEqual(['warning']);
  expect(await level({ run: 'npm install -g something' })).toEqual(['warning']);
  expect(await level({ run: 'npm ci' })).toEqual(['error']);
  expect(await level({ run: 'echo hello' })).toEqual(['error']);
});

test('a task that may be left out, or may fail, stops nothing', async () => {
  const project = newProject();
  const inputs = { deploy: { type: 'boolean', default: false } };
  const tasks = {
    a: { run: 'nope', if: 'inputs.deploy' },
    b: { run: 'nope', needs: ['a'] },
    c: { run: 'nope', 'continue-on-error': true },
    d: { run: 'nope', 'for-each': { in: [] } },
  };
  expect(brief(await found(project, { inputs, tasks }))).toEqual([
    'warning program a',
    'warning program b',
    'warning program c',
    'warning program d',
  ]);
});

test('a script that package.json or the repository does not have is told; what an agent may write is only a warning', async () => {
  const project = newProject();
  project.write('package.json', JSON.stringify({ scripts: { build: 'true' } }));
  const path = pathWith('npm');
  const told = async (tasks: object): Promise<string[]> => brief(await found(project, { tasks }, { path }));
  expect(await told({ a: { run: 'npm run build' } })).toEqual([]);
  expect(await told({ a: { run: 'npm run lint' } })).toEqual(['error script a']);
  expect(await told({ a: { run: 'npm test' } })).toEqual(['error script a']);
  expect(await told({ a: { run: 'npm run lint --if-present' } })).toEqual([]);
  expect(await told({ a: { run: 'npm --prefix x run lint' } })).toEqual([]);
  expect(await told({ a: { run: 'npm run lint', 'working-directory': 'web' } })).toEqual([]);
  const agent = { agent: 'scripted', prompt: 'Do it.', check: 'npm test' };
  expect(await told({ a: agent })).toEqual(['warning script a']);
  expect(await told({ a: { ...agent, permissions: 'read' } })).toEqual(['error script a']);
  const script = project.write('tool.sh', 'true');
  expect((await found(project, { tasks: { a: { run: './tool.sh' } } }, { path }))[0]).toMatchObject({
    message: '`./tool.sh` is not executable.',
  });
  chmodSync(script, 0o755);
  expect(await told({ a: { run: './tool.sh' } })).toEqual([]);
  chmodSync(script, 0o644);
  expect(await told({ a: { run: 'sh tool.sh' }, b: { run: 'sh ./tool.sh x' } })).toEqual([]);
});

test('in a worktree only what is committed counts, whatever is in the checkout', async () => {
  const project = inRepository();
  chmodSync(project.write('kept.sh', 'true'), 0o755);
  project.write('package.json', JSON.stringify({ scripts: { kept: 'true' } }));
  git(project.folder, 'add', '.');
  git(project.folder, 'commit', '-qm', 'second');
  git(project.folder, 'rm', '-q', '--cached', 'kept.sh', 'package.json');
  rmSync(join(project.folder, 'kept.sh'));
  project.write('package.json', JSON.stringify({ scripts: { fresh: 'true' } }));
  chmodSync(project.write('fresh.sh', 'true'), 0o755);
  const tasks = {
    a: { run: './kept.sh' },
    b: { run: './fresh.sh' },
    c: { run: 'npm run kept' },
    d: { run: 'npm run fresh' },
    e: { run: './nowhere.sh' },
  };
  const path = pathWith('npm');
  expect(brief(await found(project, { workspace: 'worktree', tasks }, { path }))).toEqual([
    'error script d',
    'error script e',
    'warning script b',
  ]);
  expect(
    brief(await found(project, { workspace: 'worktree', base: 'HEAD~1', tasks: { a: tasks.a } })),
  ).toEqual(['error script a']);
  expect(brief(await found(project, { workspace: 'shared', tasks }, { path }))).toEqual([
    'error script a',
    'error script c',
    'error script e',
  ]);
});

test('the PATH that a task sets is the one that counts', async () => {
  const project = newProject();
  const path = pathWith('tool');
  expect(await found(project, { tasks: { a: { run: 'tool', env: { PATH: path } } } })).toEqual([]);
  expect(
    brief(await found(project, { tasks: { a: { run: 'tool', env: { PATH: '/nowhere:/bin' } } } }, { path })),
  ).toEqual(['error program a']);
  const rendered = { a: { run: 'tool', env: { PATH: '${{ inputs.path }}' } } };
  expect(await found(project, { inputs: { path: 'string' }, tasks: rendered })).toEqual([]);
});

test('a variable that is to be inherited and is not there is a warning', async () => {
  const tasks = { a: { run: 'true', 'inherit-env': ['SOME_SETTING', 'SOME_*'] } };
  expect(brief(await found(newProject(), { tasks }))).toEqual(['warning variable a']);
});

test('what stands in a file that is used is told there', async () => {
  const project = newProject();
  project.write('.piton/workflows/inner.yaml', 'name: inner\ntasks:\n  deep:\n    run: nope\n');
  const tasks = { outer: { uses: './inner.yaml' }, group: { tasks: { inside: { run: 'nope' } } } };
  const findings = await found(project, { tasks });
  expect(findings).toMatchObject([
    { task: 'outer/deep', file: join(project.folder, '.piton/workflows/inner.yaml'), line: 4 },
    { task: 'group/inside', path: 'tasks.group.tasks.inside.run' },
  ]);
});

test('without a repository, a commit, its base or a remote, what needs them is told', async () => {
  const outside = newProject();
  const worktrees = { workspace: 'worktree', tasks: { a: { run: 'true' } } };
  expect(await found(outside, worktrees)).toMatchObject([
    { level: 'error', kind: 'repository', path: 'workspace' },
  ]);
  expect(await found(outside, { tasks: { a: { run: 'true' } } })).toEqual([]);
  git(outside.folder, 'init', '-q');
  expect((await found(outside, worktrees))[0]!.message).toContain('has no commit');

  const project = inRepository();
  expect(await found(project, worktrees)).toEqual([]);
  expect(await found(project, { ...worktrees, base: 'nowhere' })).toMatchObject([
    { level: 'error', kind: 'repository', path: 'base' },
  ]);
  expect(await found(project, { ...worktrees, base: 'main' })).toEqual([]);
  const gh = standInGh(temporaryFolder());
  const path = `${gh.bin}:${pathWith()}`;
  expect(await found(project, { ...worktrees, deliver: 'pr' }, { path })).toMatchObject([
    {
      level: 'error',
      kind: 'remote',
      path: 'deliver',
      message: expect.stringContaining('has no remotes'),
    },
  ]);
  git(project.folder, 'checkout', '-q', '--detach');
  expect(await found(project, worktrees)).toMatchObject([
    { level: 'warning', message: expect.stringContaining('HEAD is detached') },
  ]);
});

test('a pull request needs gh and its login, unless the project names a command', async () => {
  const project = inRepository();
  git(project.folder, 'remote', 'add', 'origin', project.folder);
  const workflow = { tasks: { a: { run: 'true' } }, deliver: 'pr' };
  const kinds = async (given: Given): Promise<string[]> =>
    (await found(project, workflow, given)).map(({ level, message }) => `${level} ${message}`);
  expect(await kinds({ path: pathWithoutGh(temporaryFolder()) })).toEqual([
    expect.stringMatching(/^error gh, .*not on the PATH/),
  ]);
  const gh = standInGh(temporaryFolder());
  const path = `${gh.bin}:${pathWith()}`;
  expect(await kinds({ path })).toEqual([]);
  gh.behave('logged-out');
  expect(await kinds({ path })).toEqual(['error gh is not logged in.']);
  const calls = gh.calls().length;
  expect(await kinds({ path, env: { GH_TOKEN: 'x' } })).toEqual([]);
  project.write('settings/gh/hosts.yml', 'github.com: {}\n');
  expect(await kinds({ path })).toEqual([]);
  expect(gh.calls()).toHaveLength(calls);
  project.write('.piton/config.yaml', 'delivery: { command: echo }\n');
  expect(await kinds({ path: pathWithoutGh(temporaryFolder()) })).toEqual([]);
});

test('doctor names the workflows that lack something', async () => {
  const project = newProject();
  mkdirSync(join(project.folder, '.piton'), { recursive: true });
  project.write('.piton/workflows/w.yaml', 'name: w\ntasks:\n  a: { run: nope }\n');
  const { stdout } = await project.piton(['doctor'], { env: { PATH: pathWith() } });
  expect(stdout).toMatch(/! warn +workflow w +`nope` is not on the PATH\n +→ piton validate w --preflight\n/);
});

test('nothing of a project that nobody has trusted is started by it', async () => {
  const project = inRepository();
  const mark = join(project.folder, 'started');
  const bin = project.write('bin/gh', `#!/bin/sh\ntouch '${mark}'\n`);
  chmodSync(bin, 0o755);
  project.write('bin/claude', `#!/bin/sh\ntouch '${mark}'\n`);
  git(project.folder, 'remote', 'add', 'origin', project.folder);
  git(project.folder, 'config', 'core.fsmonitor', `touch '${mark}'`);
  git(project.folder, 'config', 'core.sshCommand', `touch '${mark}'`);
  const workflow = { workspace: 'worktree', base: 'main', tasks: { a: { run: 'true' } }, deliver: 'pr' };
  const path = `${join(project.folder, 'bin')}:${pathWith()}`;
  const findings = await found(project, workflow, { path, env: { PITON_TRUST: '' } });
  expect(findings).toMatchObject([
    { message: expect.stringContaining('gh, the command line of GitHub, is not on the PATH') },
  ]);
  expect(existsSync(mark)).toBe(false);
});
