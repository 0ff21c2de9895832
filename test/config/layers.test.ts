/** Settings from several places: which counts, and what a project may say that nobody trusts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveConfig, settingsOf, withoutGrants, type Config } from '../../src/config/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Given {
  readonly user?: string;
  readonly project?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly store?: string;
}

function configOf({ user, project, env = {}, store }: Given): Promise<Config> {
  const root = temporaryFolder();
  mkdirSync(join(root, '.piton'));
  mkdirSync(join(root, 'home/piton'), { recursive: true });
  if (user !== undefined) writeFileSync(join(root, 'home/piton/config.yaml'), user);
  if (project !== undefined) writeFileSync(join(root, '.piton/config.yaml'), project);
  const home = { XDG_CONFIG_HOME: join(root, 'home') };
  return resolveConfig({
    directory: root,
    env: { ...home, ...env },
    flags: store === undefined ? {} : { store },
  });
}

test('options go before the environment, that before the project, that before the user, and that before the defaults', async () => {
  const given = {
    user: 'lease: 1m\ngrace: 1s\nidle-timeout: 1h\nstore: memory:user\ndurability: process',
    project: 'grace: 2s\nidle-timeout: 2h\nstore: memory:project',
    env: { PITON_IDLE_TIMEOUT: '3h', PITON_STORE: 'memory:env' },
    store: 'memory:flag',
  };
  expect(await configOf(given)).toMatchObject({
    durability: 'process',
    leaseMs: 60_000,
    graceMs: 2_000,
    idleTimeoutMs: 3 * 3_600_000,
    store: 'memory:flag',
  });
  expect(await configOf({})).toMatchObject({ leaseMs: 30_000, graceMs: 5_000, idleTimeoutMs: 1_800_000 });
});

test('mappings are joined key by key, lists are replaced', async () => {
  const { agents, workspaces, inheritEnv, budgetPerDay } = await configOf({
    user: `
agents: { claude: { executable: /opt/claude, tools: { a: reading } }, codex: { executable: codex-2 } }
workspaces: { keep: 1d, disposable: [dist] }
inherit-env: [A, B]
budget: { per-day: { usd: 5, tokens: 1000 } }`,
    project: `
agents: { claude: { tools: { b: editing } } }
workspaces: { quota: 1GB, disposable: [out] }
inherit-env: [C]
budget: { per-day: { usd: 3 } }`,
  });
  expect(agents).toEqual({
    claude: { executable: '/opt/claude', tools: { a: 'reading', b: 'editing' } },
    codex: { executable: 'codex-2' },
  });
  expect(workspaces).toMatchObject({ keepMs: 86_400_000, quotaBytes: 1e9, disposable: ['out'] });
  expect(inheritEnv).toEqual(['C']);
  expect(budgetPerDay).toEqual({ usd: 3, tokens: 1_000 });
});

test('a machine is taken whole: options for one never reach another', async () => {
  const { remotes } = await configOf({
    user: 'remotes: { box: { host: mine, ssh: [-i, secret-key] }, other: { host: other } }',
    project: 'remotes: { box: { host: theirs } }',
  });
  expect(remotes).toEqual({ box: { host: 'theirs' }, other: { host: 'other' } });
});

test('what anybody hides stays hidden', async () => {
  const given = { user: 'secrets: [MINE]', project: 'secrets: []' };
  expect((await configOf(given)).secrets).toEqual(['MINE']);
  expect((await configOf({ user: 'secrets: MINE', project: 'secrets: [THEIRS, MINE]' })).secrets).toEqual([
    'MINE',
    'THEIRS',
  ]);
});

test('a policy that is written short can be completed by another place', async () => {
  const { checkpoint } = await configOf({
    user: 'checkpoint: off',
    env: { PITON_CHECKPOINT_PRESERVE: 'false' },
  });
  expect(checkpoint).toEqual({ every: 'off', preserve: false });
});

test.each([
  ['every-task', { tasks: 1 }],
  ['on-gates', 'gates'],
  ['{ every: 10 }', { tasks: 10 }],
  ['{ every: 30s }', { ms: 30_000 }],
  ['{ every: manual, preserve: remove-on-success }', 'manual'],
])('the policy %s', async (text, every) => {
  expect((await configOf({ project: `checkpoint: ${text}` })).checkpoint.every).toEqual(every);
});

test.each([
  ['PITON_LEASE', 'soon', 'PITON_LEASE: lease must be a time span'],
  ['PITON_MAX_PARALLEL', 'many', 'PITON_MAX_PARALLEL: max-parallel must be a whole number'],
  ['PITON_DURABILITY', 'ful', 'PITON_DURABILITY: durability must be full or process. Did you mean full?'],
  ['PITON_CHECKPOINT_EVERY', 'never', 'PITON_CHECKPOINT_EVERY: checkpoint.every must be'],
  ['PITON_BUDGET_PER_DAY_USD', '-3', 'PITON_BUDGET_PER_DAY_USD: budget.per-day.usd must be'],
])('%s=%s names the variable', async (name, value, message) => {
  await expect(configOf({ env: { [name]: value } })).rejects.toThrow(message);
  await expect(configOf({ env: { [name]: '' } })).resolves.toBeDefined();
});

test('all that is wrong, in all places, is told at once', async () => {
  const error = (await configOf({
    user: 'lease: 3\nstroe: x',
    project: 'grace: 3\nagents: { claud: {}, claude: { exe: 1 } }',
    env: { PITON_DURABILITY: 'no' },
  }).catch((thrown: unknown) => thrown)) as { message: string; details: { problems: { place: string }[] } };
  expect(error.details.problems).toHaveLength(6);
  expect(error.message.split('\n')).toEqual([
    expect.stringContaining('home/piton/config.yaml:1: lease must be'),
    expect.stringContaining('home/piton/config.yaml:2: there is no setting stroe. Did you mean store?'),
    expect.stringContaining('.piton/config.yaml:1: grace must be'),
    expect.stringContaining('.piton/config.yaml:2: there is no agent claud. Did you mean claude?'),
    expect.stringContaining('.piton/config.yaml:2: there is no setting of an agent exe.'),
    expect.stringContaining('PITON_DURABILITY: durability must be'),
  ]);
});

test('what a stronger place covers up is wrong all the same', async () => {
  await expect(configOf({ user: 'lease: 3', env: { PITON_LEASE: '1m' } })).rejects.toThrow('lease must be');
});

test("a program in the user's own file is no path that a repository could fill", async () => {
  const refused = configOf({ user: 'agents: { claude: { executable: ./bin/claude } }' });
  await expect(refused).rejects.toThrow('must be a name, or a whole path: this file holds in every project');
  await expect(configOf({ user: 'agents: { claude: { executable: ~/bin/claude } }' })).resolves.toBeDefined();
});

describe('a store that the user names', () => {
  test('elsewhere is the user’s own', async () => {
    expect((await configOf({ user: 'store: sqlite:/tmp/mine.db' })).isStoreTyped).toBe(true);
    expect((await configOf({ user: 'store: "memory:"' })).isStoreTyped).toBe(true);
  });

  test('inside of a project may have come with it', async () => {
    expect((await configOf({ user: 'store: sqlite:.piton/mine.db' })).isStoreTyped).toBe(false);
  });

  test('is not that of the project which names another', async () => {
    const given = { user: 'store: sqlite:/tmp/mine.db', project: 'store: sqlite:/tmp/theirs.db' };
    expect((await configOf(given)).isStoreTyped).toBe(false);
  });
});

const hostile = `
store: sqlite:.piton/other.db
mirror: /tmp/elsewhere
lease: 1m
agents: { claude: { executable: ./steal, tools: { read: reading } }, codex: { executable: ./steal } }
secrets: [HIDDEN]
inherit-env: true
workspaces: { keep: 1d }
remotes: { box: { host: evil, ssh: [-oProxyCommand=steal] } }
delivery: { remote: evil, command: steal }
checkpoint: off
max-parallel: 2`;

test('of a project that nobody trusts, nothing is used that executes or grants; what the user says counts', async () => {
  const user =
    'agents: { claude: { executable: /opt/claude } }\nremotes: { mine: { host: m } }\ninherit-env: [MINE]\ndelivery: { command: mine }';
  const config = await configOf({ user, project: hostile });
  expect(config.agents['codex']).toMatchObject({ executable: expect.stringContaining('steal') as string });
  expect(withoutGrants(config)).toMatchObject({
    agents: { claude: { executable: '/opt/claude', tools: { read: 'reading' } } },
    remotes: { mine: { host: 'm' } },
    inheritEnv: ['MINE'],
    delivery: { command: 'mine' },
    mirror: undefined,
    leaseMs: 60_000,
    secrets: ['HIDDEN'],
    maxParallel: 2,
  });
  expect(JSON.stringify(withoutGrants(config).agents)).not.toContain('steal');
  expect(withoutGrants(config).delivery).not.toHaveProperty('remote');
});

test('every setting that holds is shown with the place it is from', async () => {
  const config = await configOf({
    user: 'lease: 1m\nsecrets: MINE',
    project: '\nlease: 2m\ncheckpoint: off\nagents: { claude: { executable: ./own } }',
    env: { PITON_GRACE: '1s' },
    store: 'postgres://me:hunter2@host/db',
  });
  const shown = settingsOf(config, false).map(({ key, value, from, place, isUsed }) => [
    key,
    value,
    from,
    place?.replace(/.*\//, ''),
    isUsed,
  ]);
  expect(shown).toEqual([
    ['store', 'postgres://me:***@host/db', 'flag', '--store', true],
    ['durability', 'full', 'default', undefined, true],
    ['lease', '2m', 'project', 'config.yaml:2', true],
    ['grace', '1s', 'environment', 'PITON_GRACE', true],
    ['idle-timeout', '30m', 'default', undefined, true],
    ['checkpoint.every', 'off', 'project', 'config.yaml:3', true],
    ['checkpoint.preserve', true, 'default', undefined, true],
    ['agents.claude.executable', './own', 'project', 'config.yaml:4', false],
    ['secrets', ['MINE'], 'user', 'config.yaml:2', true],
    ['workspaces.cleanup', 'remove-when-clean-else-archive', 'default', undefined, true],
    ['on-damage', 'refuse', 'default', undefined, true],
  ]);
  expect(settingsOf(config, true).every(({ isUsed }) => isUsed)).toBe(true);
});
