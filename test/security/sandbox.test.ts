/** What a process in the sandbox can do to what is not its own: everything is tried from inside, by real commands and agents. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findTool, stateFolder } from '../../src/base/index.ts';
import { containmentOf, type TaskSpec } from '../../src/model/index.ts';
import { bindingsOf, type Surroundings } from '../../src/sandbox/bindings.ts';
import { bubblewrapArguments } from '../../src/sandbox/bubblewrap.ts';
import { agentAmong, findSandbox } from '../../src/sandbox/index.ts';
import { seatbeltProfile } from '../../src/sandbox/seatbelt.ts';
import { edit, git, openRepository, type RepositoryPlace } from '../support/repository-place.ts';
import { eventsOf, played } from '../support/scripted-place.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const environment = { ...process.env, PITON_BWRAP: undefined };
const found = await findSandbox(environment);
const here = found.by === 'bubblewrap';
if (!here) console.warn(`The sandbox is not tested here: ${found.by === 'none' ? found.why : found.by}.`);

/** Tells of each thing whether it could be done. */
const attack = (steps: Readonly<Record<string, string>>): string =>
  Object.entries(steps)
    .map(
      ([name, step]) =>
        `if (${step}) >/dev/null 2>&1; then echo '${name} open'; else echo '${name} shut'; fi`,
    )
    .join('\n');

function stepsFor({ root, repository }: RepositoryPlace): Readonly<Record<string, string>> {
  return {
    'its place': 'echo mine >mine.txt',
    'a temporary file': 'echo x >/tmp/piton-sandbox-test && mktemp',
    'a commit of its own': 'git add mine.txt && git -c user.name=A -c user.email=a@b commit -qm mine',
    'its output': 'echo 1 >"$PITON_OUTPUT.x" && rm "$PITON_OUTPUT.x"',
    'the checkout': `echo evil >${repository}/evil.txt`,
    'git config': 'git config core.fsmonitor evil',
    'git hooks': `echo evil >${repository}/.git/hooks/pre-commit`,
    'the branch of the user': 'git update-ref refs/heads/main HEAD',
    'a new branch': 'git branch evil',
    'the link to git': 'echo gitdir: /elsewhere >.git',
    'its removal': 'rm -f .git',
    'the record of git': 'echo /elsewhere >"$(git rev-parse --git-dir)/commondir"',
    'settings of an agent': 'echo evil >.claude/settings.json',
    'another place': `ls ${root}/worktrees/run/other* || ls ${root}/worktrees/*/other*`,
    'the spool of others': `[ "$(ls ${root}/spool | wc -l)" -gt 1 ]`,
    'its own exit record': 'echo x >"$(dirname "$PITON_OUTPUT")/../exit"',
    'the store': `echo x >>${root}/piton.db`,
    'the keys': `ls ${stateFolder('keys')}/*`,
    'the home': 'touch "$HOME/piton-sandbox-test"',
    'the system': 'touch /etc/piton-sandbox-test',
    'a service': '[ -n "$(ls /run | grep -v systemd)" ]',
    'a remount': 'mount -o remount,rw / && touch /etc/piton-sandbox-test',
    'the core pattern': '[ -w /proc/sys/kernel/core_pattern ] || [ -w /proc/sysrq-trigger ]',
    'anything of the kernel':
      '[ -n "$(find /proc /sys -xdev -path "/proc/[0-9]*" -prune -o -type f -writable -print)" ]',
    'a namespace of its own': 'unshare -U true',
    'a process outside': `kill -0 ${process.pid}`,
    'the wrapper': 'grep -l -a "^PITON_WRAPPER=\\|\\x00PITON_WRAPPER=" /proc/[0-9]*/environ',
  };
}

const allowed = new Set(['its place', 'a temporary file', 'a commit of its own', 'its output']);

const expected = (steps: Readonly<Record<string, string>>): string[] =>
  Object.keys(steps).map((name) => `${name} ${allowed.has(name) ? 'open' : 'shut'}`);

async function openHere(): Promise<RepositoryPlace> {
  const place = await openRepository({ environment });
  const settings = join(place.repository, '.claude');
  mkdirSync(settings);
  writeFileSync(join(settings, 'settings.json'), '{}');
  git(place.repository, 'add', '.');
  git(place.repository, 'commit', '-qm', 'settings');
  return place;
}

describe.skipIf(!here)('in the sandbox', () => {
  test('a command can write in its place, and nowhere else', async () => {
    const place = await openHere();
    const steps = stepsFor(place);
    const other = { run: 'sleep 0', workspace: 'worktree' };
    const run = await place.run({
      other,
      attack: { run: attack(steps), workspace: 'worktree', sandbox: 'required', needs: ['other'] },
    });
    const { outputs } = (await run.result()) as { outputs: Record<string, unknown> };
    expect(String(outputs['attack']).split('\n')).toEqual(expected(steps));
    expect(existsSync('/tmp/piton-sandbox-test')).toBe(false);
    expect(git(place.repository, 'show', 'piton/run:mine.txt')).toBe('mine');
    expect(git(place.repository, 'fsck', '--no-dangling')).toBe('');
    const spawned = (await eventsOf(run)).flatMap((event) =>
      event.type === 'attempt.spawned' ? [event.data.sandbox] : [],
    );
    expect(spawned).toEqual([undefined, 'bubblewrap']);
  });

  test('an agent that may edit is contained without a word, and so is its check', async () => {
    const place = await openHere();
    const steps = stepsFor(place);
    const agent = played([[{ edit: { file: 'b.txt', text: 'b' } }, { answer: 'done' }]], {
      permissions: 'edit',
      // What the agent has written would run here.
      check: `{ ${attack(steps)}\n} >seen.txt`,
    });
    const run = await place.run({ agent });
    expect(await run.result()).toMatchObject({ status: 'succeeded' });
    const seen = git(place.repository, 'show', 'piton/run:seen.txt').split('\n');
    expect(seen).toEqual(expected(steps));
    const events = await eventsOf(run);
    const spawned = events.flatMap((event) => (event.type === 'attempt.spawned' ? [event.data.sandbox] : []));
    expect(spawned).toEqual(['bubblewrap', 'bubblewrap']);
    expect(existsSync(join(place.repository, 'evil.txt'))).toBe(false);
  });

  test('what it says is its output is not read through a link: that may lead to what it cannot see', async () => {
    const { run, root } = await openHere();
    const secret = join(root, 'secret.json');
    writeFileSync(secret, '"secret"');
    const text = `ln -s ${secret} "$PITON_OUTPUT"; echo said`;
    const started = await run({ only: { run: text, sandbox: 'required', workspace: 'worktree' } });
    expect(await started.result()).toMatchObject({ outputs: { only: 'said' } });
  });

  test('there is no network, if it is off, but a loopback', async () => {
    const { run } = await openHere();
    const text = 'ls /sys/class/net; cat /proc/net/dev | grep -c : || true';
    const started = await run({
      only: { run: text, sandbox: 'required', network: 'off', workspace: 'worktree' },
    });
    const { outputs } = (await started.result()) as { outputs: Record<string, unknown> };
    expect(String(outputs['only']).split('\n').at(-1)).toBe('1');
  });

  test('a failure that looks like its doing says so, and names the key', async () => {
    const { run, repository } = await openHere();
    const task = { run: `touch ${repository}/evil`, sandbox: 'auto', workspace: 'worktree' };
    const started = await run({ task });
    expect(await started.result()).toHaveProperty(
      'error.message',
      expect.stringMatching(/\[it ran in a sandbox.*`sandbox: off`.*\]$/),
    );
  });

  test.each([
    "curl: (7) Failed to connect to 192.0.2.1 port 80: Couldn't connect to server",
    'ssh: connect to host example.com port 22: Connection refused',
    'Could not resolve host: example.com',
  ])('a failure that looks like that of a missing network names its key: %s', async (said) => {
    const { run } = await openHere();
    const task = { run: `cat <<'END' >&2; exit 1\n${said}\nEND\n`, network: 'off', workspace: 'worktree' };
    const started = await run({ task });
    expect(await started.result()).toHaveProperty('error.message', expect.stringContaining('`network: on`'));
  });

  test('what it leaves behind ends with it: without a session, an environment or a parent', async () => {
    const { run } = await openHere();
    const mark = `piton-left-${process.pid}`;
    const text = `(setsid env -i sh -c 'exec -a ${mark} sleep 1000' >/dev/null 2>&1 &) ; sleep 0.1; echo done`;
    const started = await run({
      only: { run: text, shell: 'bash', sandbox: 'required', workspace: 'worktree' },
    });
    await started.result();
    const living = execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' });
    expect(living).not.toContain(`${mark} 1000`);
  });

  test('a command is asked to end before it is killed', async () => {
    const { run } = await openHere();
    // What the shell itself says of its sleep must not be the last word.
    const text = `exec 2>/dev/null; trap 'echo asked; exit 9' TERM; while :; do sleep 0.05; done`;
    const started = await run({
      only: { run: text, sandbox: 'required', workspace: 'worktree', timeout: '2s' },
    });
    expect(await started.result()).toHaveProperty('error.message', expect.stringContaining('in time: asked'));
  });
});

describe('by what a task is contained', () => {
  const agent = (more: object): TaskSpec =>
    ({ work: { type: 'agent', permissions: 'edit' }, ...more }) as Partial<TaskSpec> as TaskSpec;

  test.each([
    [agent({}), undefined, 'auto'],
    [agent({}), 'check', 'auto'],
    [agent({}), 'setup', 'off'],
    [agent({ work: { type: 'agent', permissions: 'read' } }), undefined, 'auto'],
    [agent({ work: { type: 'agent', permissions: 'full' } }), undefined, 'off'],
    [agent({ work: { type: 'agent', permissions: ['Bash'] } }), undefined, 'off'],
    [agent({ work: { type: 'command' } }), undefined, 'off'],
    [agent({ work: { type: 'command' }, network: 'off' }), undefined, 'required'],
    [agent({ sandbox: 'off' }), 'check', 'off'],
    [agent({ sandbox: 'required' }), 'setup', 'required'],
  ] as const)('is decided by what it is and says (%#)', (spec, kind, mode) => {
    expect(containmentOf(spec, kind).mode).toBe(mode);
  });

  test('an agent that contains itself is left to that, and refused where ours is required', async () => {
    const program = join(temporaryFolder(), 'codex');
    writeFileSync(program, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const agents = { codex: { executable: program } };
    const place = await openRepository({ environment, agents });
    const task = { agent: 'codex', prompt: 'Go.', permissions: 'edit' };
    const run = await place.run({ auto: task, required: { ...task, sandbox: 'required' } });
    await run.result();
    const events = await eventsOf(run);
    const spawned = events.flatMap((event) =>
      event.type === 'attempt.spawned' ? [`${event.task}: ${event.data.sandbox}`] : [],
    );
    expect(new Set(spawned)).toEqual(new Set(['auto: that of codex']));
    const failed = events.find((event) => event.type === 'task.failed' && event.task === 'required');
    expect(failed).toHaveProperty('data.failure.code', 'SANDBOX_UNAVAILABLE');
  });
});

test('over ACP, an agent has the folders of the program that speaks it', () => {
  expect(agentAmong(['opencode', 'acp'])).toBe('opencode');
  expect(agentAmong(['npx', '-y', '@google/gemini-cli@1.0.0', '--experimental-acp'])).toBe('gemini');
  expect(agentAmong(['/usr/bin/claude-code-acp'])).toBe('claude');
  expect(agentAmong(['qwen', '--acp', 'mongoose'])).toBe(undefined);
});

test('what a project has installed for itself is not taken for a program of the system', () => {
  const bin = join(temporaryFolder(), 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'piton-no-such-tool'), '#!/bin/sh\n', { mode: 0o755 });
  expect(findTool('piton-no-such-tool', bin)).toBe(undefined);
});

describe('where there is none', () => {
  const without = { ...process.env, PITON_BWRAP: '/nowhere/bwrap' };

  test('what requires it does not begin, and is told what to do', async () => {
    const { run, repository } = await openRepository({ environment: without });
    const task = { run: `touch ${repository}/begun`, sandbox: 'required' };
    const message = expect.stringContaining('bwrap is not installed. Install');
    expect(await (await run({ task })).result()).toHaveProperty('error.message', message);
    expect(existsSync(join(repository, 'begun'))).toBe(false);
  });

  test('what would have it works without, and the journal says why', async () => {
    const { run } = await openRepository({ environment: without });
    const started = await run({
      task: played([[edit('b.txt', 'b'), { answer: 'done' }]], { permissions: 'edit' }),
    });
    await started.result();
    const spawned = (await eventsOf(started)).flatMap((event) =>
      event.type === 'attempt.spawned' ? [event.data.sandbox] : [],
    );
    expect(spawned).toEqual(['none: bwrap is not installed']);
  });
});

const around: Surroundings = {
  place: '/p/.piton/worktrees/run/a',
  mayWrite: true,
  git: {
    commonDir: '/p/.git',
    kept: ['/p/.git/objects/pack'],
    own: { gitDir: '/p/.git/worktrees/a', branches: ['/p/.git/refs/heads/x'] },
  },
  state: '/p/.piton',
  others: ['/p/.piton/worktrees', '/p/.piton/spool'],
  attempt: '/p/.piton/spool/1',
  secretFolders: ['/home/me/.local/state/piton'],
  temporary: ['/tmp'],
  services: ['/run'],
  needed: ['/run/resolv.conf'],
  caches: ['/home/me/.npm'],
  sessions: ['/home/me/.codex'],
  apart: ['/home/me/.codex/shell_snapshots'],
  steering: ['/home/me/.codex/config.toml', '/p/.piton/worktrees/run/a/.git'],
  sockets: ['/home/me/.docker/run/docker.sock', '/run/docker.sock', '/p/.piton/worktrees/run/a/s'],
};

describe('the rules', () => {
  test('count by depth, so that what is hidden does not cover what is needed in it', () => {
    const paths = bindingsOf(around).map(({ path, as }) => `${as} ${path}`);
    expect(paths[0]).toBe('read /');
    for (const [outer, inner] of [
      ['hidden /p/.piton/worktrees', 'write /p/.piton/worktrees/run/a'],
      ['write /p/.piton/worktrees/run/a', 'read /p/.piton/worktrees/run/a/.git'],
      ['hidden /p/.piton/spool', 'read /p/.piton/spool/1'],
      ['read /p/.piton/spool/1', 'write /p/.piton/spool/1/own'],
      ['read /p/.git', 'write /p/.git/objects'],
      ['write /p/.git/objects', 'read /p/.git/objects/pack'],
      ['read /', 'closed /home/me/.docker/run/docker.sock'],
      ['write /home/me/.codex', 'read /home/me/.codex/config.toml'],
      ['hidden /run', 'read /run/resolv.conf'],
    ] as const) {
      expect(paths.indexOf(outer)).toBeGreaterThanOrEqual(0);
      expect(paths.indexOf(inner)).toBeGreaterThan(paths.indexOf(outer));
    }
  });

  test('let an agent that may only read write nowhere but in its sessions and temporary folder', () => {
    const written = bindingsOf({ ...around, mayWrite: false, caches: [] }).filter(({ as }) => as === 'write');
    expect(written.map(({ path }) => path)).toEqual(['/home/me/.codex', '/p/.piton/spool/1/own']);
  });

  test('are the same for macOS, where nobody has tried them', () => {
    const bindings = bindingsOf(around);
    const profile = seatbeltProfile({
      bindings,
      directory: '/p',
      temporary: '/p/t',
      hasNetwork: false,
      variables: {},
    });
    expect(profile).toContain('(deny file-write* (subpath "/"))');
    expect(profile.indexOf('(subpath "/p/.piton/worktrees/run/a")')).toBeGreaterThan(
      profile.indexOf('(deny file-read* file-write* (subpath "/p/.piton/worktrees"))'),
    );
    expect(profile).toContain('(deny network*)');
  });

  test.skipIf(!here || process.getuid!() !== 0)('hold for a user who is not root, too', () => {
    const place = temporaryFolder();
    const own = temporaryFolder();
    for (const folder of [place, own]) chownSync(folder, 65_534, 65_534);
    const bindings = [{ path: '/', as: 'read' } as const, { path: place, as: 'write' } as const];
    const words = bubblewrapArguments({
      bindings,
      directory: place,
      temporary: own,
      hasNetwork: true,
      variables: {},
    });
    const text = `touch inside; touch ${own}/outside; unshare -U true && touch escaped; ls`;
    const { stdout } = spawnSync(here ? found.program : '', [...words, 'sh', '-c', text], {
      encoding: 'utf8',
      uid: 65_534,
      gid: 65_534,
      cwd: tmpdir(),
    });
    expect(stdout).toBe('inside\n');
    expect(existsSync(join(own, 'outside'))).toBe(false);
    expect(readFileSync(join(place, 'inside'), 'utf8')).toBe('');
  });
});
