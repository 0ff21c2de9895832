import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveConfig, type Config } from '../../src/config/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Project {
  readonly root: string;
  readonly file: string;
  resolve(given?: {
    directory?: string;
    env?: Record<string, string>;
    flags?: { store?: string };
  }): Promise<Config>;
}

function project(text?: string): Project {
  const root = temporaryFolder();
  const file = join(root, '.piton', 'config.yaml');
  mkdirSync(join(root, '.piton'));
  if (text !== undefined) writeFileSync(file, text);
  return {
    root,
    file,
    resolve: (given = {}) =>
      resolveConfig({
        directory: root,
        flags: {},
        ...given,
        env: { XDG_CONFIG_HOME: join(root, 'home'), ...given.env },
      }),
  };
}

test('a project that says nothing has the usual settings', async () => {
  for (const text of [undefined, '', '# nothing yet\n']) {
    expect(await project(text).resolve()).toMatchObject({
      durability: 'full',
      leaseMs: 30_000,
      graceMs: 5_000,
      mirror: undefined,
      agents: {},
      secrets: [],
      budgetPerDay: undefined,
      workspaces: {},
      remotes: {},
      delivery: {},
    });
  }
});

test('every setting of the file ends up in the configuration', async () => {
  const { root, resolve } = project(`
store: sqlite:data/runs.db
durability: process
mirror: mirror
lease: 10s
grace: 0s
agents:
  claude: { executable: /opt/claude, tools: { mcp__jira__create: irreversible, mcp__jira__read: reading } }
  codex: { executable: codex-nightly }
  acp: { tools: { edit: editing } }
secrets: [API_TOKEN, DATABASE_URL, API_TOKEN]
budget: { per-day: { usd: 50, tokens: 2000000 } }
workspaces: { mode: worktree, keep: 14d, quota: 1.5 GB, cleanup: archive-on-failure, disposable: [dist] }
remotes:
  box: { host: me@box, folder: ~/work, ssh: [-p, '2222'] }
  bare: { host: box.example.com, ssh: -C }
delivery: { remote: upstream, command: open-request --now }
`);
  expect(await resolve()).toMatchObject({
    store: `sqlite:${root}/data/runs.db`,
    durability: 'process',
    mirror: join(root, 'mirror'),
    leaseMs: 10_000,
    graceMs: 0,
    agents: {
      claude: {
        executable: '/opt/claude',
        tools: { mcp__jira__create: 'irreversible', mcp__jira__read: 'reading' },
      },
      codex: { executable: 'codex-nightly' },
      acp: { tools: { edit: 'editing' } },
    },
    secrets: ['API_TOKEN', 'DATABASE_URL'],
    budgetPerDay: { usd: 50, tokens: 2_000_000 },
    workspaces: {
      mode: 'worktree',
      keepMs: 14 * 86_400_000,
      quotaBytes: 1_500_000_000,
      cleanup: 'archive-on-failure',
      disposable: ['dist'],
    },
    remotes: {
      box: { host: 'me@box', folder: '~/work', ssh: ['-p', '2222'] },
      bare: { host: 'box.example.com', ssh: ['-C'] },
    },
    delivery: { remote: 'upstream', command: 'open-request --now' },
  });
});

test('a program is a name for the PATH, or a path that is relative to the project', async () => {
  const { root, resolve } = project(`
agents:
  claude: { executable: tools/claude }
  codex: { executable: ./codex }
  gemini: { executable: ~/bin/gemini }
  opencode: { executable: opencode }
`);
  const { agents } = await resolve();
  expect(Object.values(agents).map(({ executable }) => executable)).toEqual([
    join(root, 'tools/claude'),
    join(root, 'codex'),
    join(homedir(), 'bin/gemini'),
    'opencode',
  ]);
});

test('a time span of nothing needs no unit', async () => {
  expect((await project('idle-timeout: 0').resolve()).idleTimeoutMs).toBe(0);
});

test('one secret needs no list', async () => {
  expect((await project('secrets: API_TOKEN').resolve()).secrets).toEqual(['API_TOKEN']);
});

test('options go before the environment, and both before the file', async () => {
  const { resolve } = project('store: memory:a\ndurability: process');
  const env = { PITON_STORE: 'memory:b', PITON_DURABILITY: 'full' };
  expect((await resolve()).store).toBe('memory:a');
  expect(await resolve({ env })).toMatchObject({ store: 'memory:b', durability: 'full' });
  expect((await resolve({ env, flags: { store: 'memory:c' } })).store).toBe('memory:c');
});

test('the path of a store is relative to whoever wrote it', async () => {
  const { root, resolve } = project('store: sqlite:data/runs.db?patience=50');
  const directory = join(root, 'deep', 'down');
  mkdirSync(directory, { recursive: true });
  expect(await resolve({ directory })).toMatchObject({
    store: `sqlite:${root}/data/runs.db?patience=50`,
    storeFile: join(root, 'data', 'runs.db'),
    spool: join(root, 'data', 'spool'),
  });
  expect(await resolve({ directory, flags: { store: 'SQLite:../mine.db' } })).toMatchObject({
    store: `sqlite:${root}/deep/mine.db`,
    storeFile: join(root, 'deep', 'mine.db'),
    isStoreTyped: true,
  });
  const elsewhere = await resolve({ directory, env: { PITON_STORE: 'memory:x' } });
  expect(elsewhere).toMatchObject({ store: 'memory:x', spool: join(root, '.piton', 'spool') });
  expect(elsewhere.storeFile).toBeUndefined();
});

describe('what is wrong with the file is told with its line, and what to do', () => {
  test.each([
    ['- a', 1, 'the file must be a mapping.'],
    ['\nstore: 3', 2, 'store must be a store URL, such as sqlite:.piton/piton.db.'],
    ['durability: ful', 1, 'durability must be full or process. Did you mean full?'],
    ['lease: 30', 1, 'lease must be a time span, such as 30s.'],
    ['lease: 1ms', 1, 'lease must be at least 100ms.'],
    ['agent: {}', 1, 'there is no setting agent. Did you mean agents?'],
    ['agents: claude', 1, 'agents must be a mapping.'],
    ['agents:\n  claud: {}', 2, 'there is no agent claud. Did you mean claude?'],
    ['agents:\n  __proto__: {}', 2, 'there is no agent __proto__. Known are claude,'],
    [
      'agents:\n  claude:\n    exe: x',
      3,
      'there is no setting of an agent exe. Known are executable, tools.',
    ],
    [
      'agents:\n  claude:\n    executabel: x',
      3,
      'there is no setting of an agent executabel. Did you mean executable?',
    ],
    [
      'agents: { claude: { executable: "" } }',
      1,
      'agents.claude.executable must be the name or the path of a program.',
    ],
    [
      'agents:\n  acp: { executable: x }',
      2,
      'agents.acp.executable is no setting. Each task names the program of acp in its `args`.',
    ],
    [
      'agents:\n  claude:\n    tools:\n      Bash: reading\n      Jira: irreversable',
      5,
      'agents.claude.tools.Jira must be reading, editing, unknown or irreversible. Did you mean irreversible?',
    ],
    ['secrets: { A: 1 }', 1, 'secrets must be a list.'],
    ['budget: 50', 1, 'budget must be a mapping.'],
    [
      'budget:\n  usd: 50',
      2,
      'budget.usd is no setting. What one run may use up stands in its workflow; here stands only `per-day`.',
    ],
    ['budget: { per-day: 50 }', 1, 'budget.per-day must be a mapping.'],
    ['budget: { per-day: {} }', 1, 'budget.per-day limits nothing. Give it `usd`, or `tokens`.'],
    ['budget:\n  per-day:\n    usd: many', 3, 'budget.per-day.usd must be a number of at least 0.'],
    ['budget: { per-day: { usd: -1 } }', 1, 'budget.per-day.usd must be a number of at least 0.'],
    ['budget: { per-day: { usd: .inf } }', 1, 'budget.per-day.usd must be a number of at least 0.'],
    [
      'budget: { per-day: { tokens: 1.5 } }',
      1,
      'budget.per-day.tokens must be a whole number of at least 0.',
    ],
    ['budget: { per-day: { token: 1 } }', 1, 'there is no amount token. Did you mean tokens?'],
    ['workspaces: 14d', 1, 'workspaces must be a mapping.'],
    ['workspaces: { keep: long }', 1, 'workspaces.keep must be a time span, such as 30s.'],
    ['workspaces:\n  quota: 20', 2, 'workspaces.quota must be a size, such as 500MB or 20GB.'],
    ['workspaces: { quota: 20G }', 1, 'workspaces.quota must be a size, such as 500MB or 20GB.'],
    ['workspaces: { cleanup: kep }', 1, 'workspaces.cleanup must be remove-when-clean-else-archive, keep, '],
    ['workspaces: { kep: 14d }', 1, 'there is no setting of workspaces kep. Did you mean keep?'],
    ['remotes:\n  box: {}', 2, 'remotes.box lacks its host.'],
    ['remotes: { box: { host: -oProxyCommand=x } }', 1, 'remotes.box.host must be a machine'],
    ['remotes: { box: { host: a b } }', 1, 'remotes.box.host must be a machine'],
    ['remotes: { "a b": { host: x } }', 1, 'remotes.a b is no name for a machine.'],
    ['remotes: { box: { host: x, ssh: [22] } }', 1, 'remotes.box.ssh[0] must be an option of ssh.'],
    ['remotes: { box: { host: x, port: 22 } }', 1, 'there is no setting of a machine port.'],
    ['delivery: { remote: --force }', 1, 'delivery.remote must be the name of a remote of git'],
    ['delivery: { command: "" }', 1, 'delivery.command must be a command that opens a pull request.'],
    ['delivery: { via: gh }', 1, 'there is no setting of deliveries via.'],
    ['store: a\nstore: b', 2, 'Map keys must be unique'],
    ['store: [', 1, ''],
  ])('%j', async (text, line, what) => {
    const { file, resolve } = project(text);
    const error = await resolve().then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', details: { place: `${file}:${line}` } });
    expect(error!.message).toContain(`${file}:${line}: ${what}`);
  });

  test('an alias that stands for nothing', async () => {
    const { file, resolve } = project('store: *gone');
    await expect(resolve()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(resolve()).rejects.toThrow(file);
  });

  test('a secret that was written down itself is not shown', async () => {
    const { file, resolve } = project('secrets:\n  - API_TOKEN\n  - sk-12345\n');
    const message = `${file}:3: secrets[1] must be the name of an environment variable. Write the name of the variable, never the secret itself.`;
    await expect(resolve()).rejects.toThrow(message);
    await expect(resolve()).rejects.not.toThrow('12345');
  });
});

const examples = globSync('docs/**/*.md').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^```yaml\n(# \.piton\/config\.yaml\n.*?)^```/gms)].map(
    ([, text]) => [file, text!] as const,
  ),
);

test.each(examples)('what %s shows as settings is valid', async (_, text) => {
  await expect(project(text).resolve()).resolves.toBeDefined();
});

test('the reference names every setting, and no other', async () => {
  const reference = readFileSync(new URL('../../docs/reference/config.md', import.meta.url), 'utf8');
  const named = [...reference.matchAll(/^\| `([\w.<>-]+)`/gm)].map(([, key]) => key!);
  const known = await project('nothing: 1')
    .resolve()
    .catch((error: Error) => /Known are (.*)\.$/.exec(error.message)![1]!.split(', '));
  expect([...new Set(named.map((key) => key.split('.')[0]))]).toEqual(known);
  expect(named).toEqual(expect.arrayContaining(['agents.<name>.executable', 'agents.<name>.tools']));
});
