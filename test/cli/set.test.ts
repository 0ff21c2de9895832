import { describe, expect, test } from 'vitest';
import { readSettings } from '../../src/interfaces/cli/settings/read-settings.ts';
import { newProject, type Project } from './command-line.ts';

async function withRun(): Promise<Project> {
  const project = newProject();
  project.write(
    '.piton/workflows/flow.yaml',
    JSON.stringify({ name: 'flow', tasks: { a: { run: 'true' } } }),
  );
  const asking = { name: 'asking', 'max-parallel': 3, tasks: { a: { approval: 'Go?', run: 'true' } } };
  project.write('.piton/workflows/asking.yaml', JSON.stringify(asking));
  return project;
}

describe('what piton set is given', () => {
  test.for([
    ['name=Release 1.2', { name: 'Release 1.2' }],
    ['name=', { name: null }],
    ['note=a=b', { note: 'a=b' }],
    ['label.team=web', { labels: { team: 'web' } }],
    ['label.a.b/c=', { labels: { 'a.b/c': null } }],
    ['metadata.n=3', { metadata: { n: 3 } }],
    ['metadata.ticket=ABC-1', { metadata: { ticket: 'ABC-1' } }],
    ['metadata.deep={"a":[1]}', { metadata: { deep: { a: [1] } } }],
    ['metadata.gone=', { metadata: { gone: null } }],
    ['max-parallel=2', { maxParallel: 2 }],
    ['max-parallel=none', { maxParallel: 'none' }],
    ['max-parallel=', { maxParallel: null }],
    ['max-steps=7', { maxSteps: 7 }],
    ['budget.usd=$2.50', { budget: { usd: 2.5 } }],
    ['budget.tokens=1.5M', { budget: { tokens: 1_500_000 } }],
  ] as const)('%s', ([pair, settings]) => {
    expect(readSettings([pair], '.')).toEqual(settings);
  });

  test('may be several, of which a later one wins', () => {
    const pairs = ['label.a=1', 'label.b=2', 'budget.usd=1', 'budget.tokens=5', 'label.a=3'];
    expect(readSettings(pairs, '.')).toEqual({ labels: { a: '3', b: '2' }, budget: { usd: 1, tokens: 5 } });
  });

  test('of a key that is a prototype changes nothing but that key', () => {
    const { metadata } = readSettings(['metadata.__proto__={"x":1}'], '.');
    expect(Object.keys(metadata!)).toEqual(['__proto__']);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test.for([
    ['nme=x', 'There is no setting nme', 'Did you mean name?'],
    ['maxparallel=2', 'There is no setting maxparallel', 'Did you mean max-parallel?'],
    ['labels.team=x', 'There is no setting labels.team', 'Did you mean label.<key>?'],
    ['toString=x', 'There is no setting toString', 'Known are name'],
    ['name', 'name is no key with a value', 'Write piton set'],
    ['=x', '=x is no key with a value', 'Write piton set'],
    ['max-parallel=two', 'it must be a whole number, or none', 'Write max-parallel=<value>'],
    ['max-parallel=-1', 'it must be a whole number, or none', 'or max-parallel= to take it back'],
    ['budget.usd=1k', 'it must be an amount of dollars, or none', ''],
    ['metadata=3', 'it must be a file: metadata=@file.json', ''],
    ['metadata=@nowhere.json', 'cannot be used: ENOENT', 'Write a file of JSON'],
  ] as const)('%s is refused', ([pair, message, remedy]) => {
    const refused = { code: 'USAGE_INVALID' };
    const read = (): unknown => readSettings([pair], '.');
    expect(read).toThrow(expect.objectContaining(refused) as Error);
    expect(read).toThrow(message);
    expect(read).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining(remedy) as string }) as Error,
    );
  });
});

test('what is said of a run when it is started is listed, shown, chosen by, and changed', async () => {
  const project = await withRun();
  const { piton, json } = project;
  project.write('about.json', JSON.stringify({ build: 7 }));
  const said = [
    '--name',
    'Release 1.2',
    '--label',
    'team=web',
    '--label',
    'stage=test',
    '--group',
    'releases',
  ];
  const more = ['--note', 'one\ntwo', '--metadata', 'ticket=ABC-1', '--metadata', '@about.json'];
  expect((await piton(['run', 'flow', '--id', 'one', ...said, ...more])).code).toBe(0);
  expect((await piton(['run', 'flow', '--id', 'two', '--group', 'releases'])).code).toBe(0);
  expect((await piton(['run', 'flow', '--id', 'three'])).code).toBe(0);

  const about = {
    name: 'Release 1.2',
    labels: { team: 'web', stage: 'test' },
    group: 'releases',
    note: 'one\ntwo',
    metadata: { ticket: 'ABC-1', build: 7 },
  };
  expect(await json(['status', 'one'])).toMatchObject({ about });
  expect(await json(['show', 'one'])).toMatchObject({ about });
  const listed = async (...args: string[]): Promise<string[]> =>
    ((await json(['list', ...args])) as { run: string }[]).map(({ run }) => run);
  expect(await listed('--group', 'releases')).toEqual(['two', 'one']);
  expect(await listed('--label', 'team=web', '--label', 'stage=test')).toEqual(['one']);
  expect(await listed('--label', 'team=app')).toEqual([]);
  expect(await listed('--name', 'release')).toEqual(['one']);
  expect((await piton(['list'])).stdout).toMatch(
    /^run .* name +group +labels\n[^]*one .* Release 1\.2 +releases +team=web stage=test\n/,
  );
  expect((await piton(['list', '--name', 'x'])).stdout).toContain('No such runs.');
  expect((await piton(['list', '--label', 'team'])).stderr).toContain('Write --label team=web.');
  for (const command of ['status', 'show']) {
    const { stdout } = await piton([command, 'one']);
    expect(stdout).toContain('name: Release 1.2\n');
    expect(stdout).toContain('labels: team=web stage=test\n');
    expect(stdout).toContain('note: one\n  two\n');
  }

  const set = await piton(['set', 'on', 'label.stage=', 'name=Release 1.3', 'note=']);
  expect(set).toMatchObject({
    code: 0,
    stdout:
      'Run one: name is Release 1.3; the note is removed; label stage is removed.\nNext: piton status one\n',
  });
  expect((await json(['status', 'one'])) as object).toMatchObject({
    about: { name: 'Release 1.3', labels: { team: 'web' } },
    status: 'succeeded',
  });
  const { stdout: history } = await piton(['history', 'one']);
  expect(history).toMatch(/set: name Release 1\.3, note removed, label stage removed, by \S+@\S+/);
});

test('a run without anything said of it is listed as ever', async () => {
  const { piton } = await withRun();
  await piton(['run', 'flow', '--id', 'one']);
  expect((await piton(['list'])).stdout).toMatch(/^run +workflow +status +tasks +started +changed\n/);
});

test('limits are set, shown with who did it, and refused when the run has ended', async () => {
  const { piton, json } = await withRun();
  await piton(['run', 'asking', '--id', 'one']);
  expect(await json(['set', 'one', 'max-parallel=2', 'budget.usd=20'])).toEqual({
    run: 'one',
    status: 'accepted',
    text: 'max-parallel is 2; budget.usd is 20',
  });
  expect(await json(['status', 'one'])).toMatchObject({
    status: 'held',
    limits: { maxParallel: 2, budget: { usd: 20 }, set: [{ limit: 'max-parallel', to: 2 }, { to: 20 }] },
  });
  expect((await piton(['status', 'one'])).stdout).toMatch(/^max-parallel: 2, set .* by \S+@\S+$/m);
  expect((await piton(['set', 'one', 'max-steps=3'])).stderr).toContain('is a limit of graphs');
  expect((await piton(['set', 'one', 'max-parallel='])).code).toBe(0);
  expect(await json(['status', 'one'])).toMatchObject({ limits: { maxParallel: 3 } });

  await piton(['approve', 'one', 'a']);
  const late = await piton(['set', 'one', 'max-parallel=1', 'name=never']);
  expect(late.code).toBe(4);
  expect(late.stderr).toContain('Run one refuses: the run has ended (succeeded)');
  expect(await json(['status', 'one'])).not.toHaveProperty('about');
});

test.for([
  [['set', 'nobody', 'name=x'], 2, 'There is no run whose id is or begins with nobody'],
  [['set', 'o', 'name=x'], 2, '2 runs begin with o'],
  [['set', 'name=x'], 2, 'The run comes first: piton set <run> name=x'],
  [['set', 'one'], 2, 'Nothing is to be set'],
  [['set', 'one', 'name=a\u001b[2Jb'], 2, 'the name must be one line without control characters'],
  [['run', 'flow', '--name', 'a\nb'], 2, 'the name must be one line'],
  [['run', 'flow', '--label', 'a b=c'], 2, 'is no key of a label'],
  [['run', 'flow', '--metadata', '@flow.yaml'], 2, 'cannot be used'],
] as const)('%j is refused in words', async ([args, code, message]) => {
  const project = await withRun();
  for (const id of ['one', 'other']) await project.piton(['run', 'flow', '--id', id]);
  const answer = await project.piton(args);
  expect(answer.stderr).toContain(message);
  expect(answer.code).toBe(code);
  expect(await project.json(['list'])).toHaveLength(2);
});

test('a task may not set anything of a run', async () => {
  const project = await withRun();
  await project.piton(['run', 'flow', '--id', 'one']);
  const inside = await project.piton(['set', 'one', 'name=mine'], { env: { PITON_MARK_abc: '1' } });
  expect(inside).toMatchObject({ code: 4, stderr: expect.stringContaining('INSIDE_ATTEMPT') as string });
  expect(await project.json(['status', 'one'])).not.toHaveProperty('about');
});
