import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type Project } from './command-line.ts';
import { git, inRepository } from './delivered.ts';
import { ledgerOf, release, startPiton, writeTraced } from './live-command.ts';
import { played, writeFlow } from './played.ts';

const edit = (file: string, text: string): object => ({ edit: { file, text } });
const done = { answer: 'done' };

function eventsOf(project: Project, run: string): Promise<RunEvent[]> {
  return project.withStore(async (piton) => Array.fromAsync((await piton.find(run)).history()));
}

async function lastPlace(project: Project, run: string): Promise<{ base: string; path: string } | undefined> {
  const prepared = (await eventsOf(project, run)).findLast(({ type }) => type === 'workspace.prepared');
  return prepared?.data as { base: string; path: string } | undefined;
}

async function startOf(project: Project, run: string, task: string): Promise<unknown> {
  const events = await eventsOf(project, run);
  const started = events.findLast(
    (event) => event.type === 'attempt.started' && event.task === task && event.data.agent !== undefined,
  );
  return started?.data;
}

test('a fork begins from the files of that checkpoint, and leaves branch and places of the other alone', async () => {
  const project = inRepository();
  writeFlow(project, {
    first: played([[edit('one.txt', 'one\n'), done]]),
    second: played([[edit('two.txt', 'two\n'), done]], { needs: ['first'] }),
  });
  expect((await project.piton(['run', 'flow', '--id', 'v1'])).code).toBe(0);
  const before = git(project.folder, 'rev-parse', 'piton/v1');

  expect((await project.piton(['fork', 'v1@before:second', '--no-drive'])).code).toBe(0);
  const files = (): string[] => git(project.folder, 'ls-tree', '--name-only', 'piton/v1-2').split('\n');
  expect(files()).toContain('one.txt');
  expect(files()).not.toContain('two.txt');
  expect((await project.piton(['resume', 'v1-2'])).code).toBe(0);

  expect(files()).toEqual(expect.arrayContaining(['one.txt', 'two.txt']));
  expect(git(project.folder, 'rev-parse', 'piton/v1')).toBe(before);
  const events = await eventsOf(project, 'v1-2');
  const first = events.filter((event) => event.type === 'attempt.started' && event.task === 'first');
  expect(first.every(({ seq }) => seq <= 12)).toBe(true);
  expect(await project.json(['show', 'v1-2'])).toMatchObject({
    about: { fork: { run: 'v1' } },
    hasWork: true,
  });
  expect((await project.piton(['verify'])).code).toBe(0);
});

test('a fork goes on after the other was removed, with its blobs, files and artifacts', async () => {
  const project = inRepository();
  writeFlow(project, {
    first: played([[edit('one.txt', 'one\n'), { run: 'mkdir out && echo built > out/a' }, done]], {
      artifacts: ['out'],
    }),
    second: played([[{ run: 'cat out/a one.txt > both.txt' }, done]], { needs: ['first'] }),
  });
  const ran = await project.piton(['run', 'flow', '--id', 'v1']);
  expect(ran.code).toBe(0);
  expect((await project.piton(['fork', 'v1@before:second', '--no-drive'])).code).toBe(0);
  const refs = git(project.folder, 'for-each-ref', '--format=%(refname)').split('\n');
  for (const ref of refs.filter((name) => /\/v1(\/|$)/.test(name)))
    git(project.folder, 'update-ref', '-d', ref);
  await project.withStore(async (piton) => {
    expect(await piton.prune({ runs: ['v1'] })).toMatchObject({ runs: 1, kept: [] });
  });

  expect((await project.piton(['resume', 'v1-2'])).code).toBe(0);
  expect(git(project.folder, 'show', 'piton/v1-2:both.txt')).toBe('built\none');
  // What an attempt of the other has written is shown here, and goes with the last run that has it.
  expect((await project.piton(['logs', 'v1-2', 'first'])).stdout).toContain('one.txt');
  expect(readdirSync(join(project.folder, '.piton/spool')).length).toBeGreaterThan(0);
});

test('files of an agent that was at work are as they were saved, and it is told what was done until then', async () => {
  const project = inRepository();
  const gate = join(project.folder, 'go');
  const waits = { run: `while [ ! -e '${gate}' ]; do sleep 0.02; done` };
  writeFlow(project, { work: played([[edit('one.txt', 'one\n'), waits, edit('two.txt', 'two\n'), done]]) });
  const driver = startPiton(project, ['run', 'flow', '--id', 'v1']);
  const savedIn = async (): Promise<number | undefined> =>
    (await eventsOf(project, 'v1').catch(() => [])).find(({ type }) => type === 'workspace.saved')?.seq;
  await eventually('its first file is saved', async () => (await savedIn()) !== undefined);
  project.write('go', '');
  expect(await driver.ended).toMatchObject({ code: 0 });
  const at = (await savedIn())!;

  expect((await project.piton(['fork', `v1@${at}`, '--no-drive'])).code).toBe(0);
  expect((await project.piton(['resume', 'v1-2'])).code).toBe(0);
  expect(await startOf(project, 'v1-2', 'work')).toMatchObject({ agent: { how: 'new', rung: 'transcript' } });
  const [original, own] = await Promise.all(['v1', 'v1-2'].map((run) => lastPlace(project, run)));
  expect(own).toMatchObject({ base: original!.base });
  expect(own!.path).not.toBe(original!.path);
  const { order } = await project.withStore(async (piton) => {
    const attempts = await (await piton.find('v1-2')).attempts('work');
    const { attempt } = attempts.find(({ kind, outcome }) => kind === 'work' && outcome === 'succeeded')!;
    return { order: readFileSync(join(piton.spoolOf(attempt), 'input'), 'utf8') };
  });
  expect(order).toContain('- Edit: one.txt\n');
  expect(order).toContain('Files that differ from when the task began, as git sees it: "one.txt"\n');
  expect(order).not.toContain('Edit: two.txt');
});

test('a session that has not gone on since is copied, not gone on in', async () => {
  const project = inRepository();
  writeFlow(project, {
    plan: played([[{ say: 'planned' }, done]], { permissions: 'read' }),
    build: played([[edit('a.txt', 'two\n'), done]], { needs: ['plan'], session: { continue: 'plan' } }),
    tell: played([[done]], { needs: ['plan'], permissions: 'read' }),
  });
  expect((await project.piton(['run', 'flow', '--id', 'v1'])).code).toBe(0);
  const first = (await startOf(project, 'v1', 'build')) as { agent: { how: string; session: string } };
  expect(first.agent.how).toBe('continue');

  // Build went on in the session: from before it, the session has been outgrown, and what was said is told instead.
  expect((await project.piton(['fork', 'v1@before:build', '--id', 'told'])).code).toBe(0);
  expect(await startOf(project, 'told', 'build')).toMatchObject({
    agent: { how: 'new', rung: 'transcript' },
  });

  // Nobody has gone on in that of build since the end.
  expect((await project.piton(['fork', 'v1', '--id', 'copied', '--no-drive'])).code).toBe(0);
  await project.piton(['resume', 'copied']);
  expect((await project.piton(['retry', 'copied', 'build', '--redo', '--yes'])).code).toBe(0);
  const start = (await startOf(project, 'copied', 'build')) as { agent: { how: string; of?: string } };
  expect(start.agent).not.toMatchObject({ how: 'continue', session: first.agent.session });
});

const inputs = { style: { type: 'string', default: 'fancy' }, size: { type: 'integer', default: 1 } };
const traced = {
  plan: { run: 'echo plan >> ledger; echo \'{"parts": 2}\' > "$PITON_OUTPUT"', output: { parts: 'integer' } },
  paint: { run: 'echo paint ${{ inputs.style }} >> ledger' },
  count: { needs: ['plan'], run: 'echo count ${{ tasks.plan.output.parts }} >> ledger' },
  ship: { needs: ['paint'], run: 'echo ship >> ledger' },
};

async function finished(): Promise<Project> {
  const project = newProject();
  project.write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', inputs, tasks: traced }));
  expect((await project.piton(['run', 'flow', '--id', 'v1'])).code).toBe(0);
  expect(ledgerOf(project)).toHaveLength(4);
  return project;
}

test('with another input, what reads it and what depends on that runs again, and nothing else', async () => {
  const project = await finished();
  const { code, stdout } = await project.piton(['fork', 'v1', '-i', 'style=plain']);
  expect(code).toBe(0);
  expect(stdout).toContain('These tasks run again:\n  paint  ✓ succeeded\n  ship  ✓ succeeded\n');
  expect(ledgerOf(project).slice(4)).toEqual(['paint plain', 'ship']);
  expect(await project.json(['show', 'v1-2'])).toMatchObject({ inputs: { style: 'plain', size: 1 } });
  // The same value again changes nothing.
  expect((await project.piton(['fork', 'v1', '-i', 'style=fancy'])).code).toBe(0);
  expect(ledgerOf(project)).toHaveLength(6);
});

test('with another output of a task, what depends on it runs again', async () => {
  const project = await finished();
  project.write('edit.yaml', 'outputs: { plan: { parts: 7 } }\n');
  expect((await project.piton(['fork', 'v1', '--edit', 'edit.yaml'])).code).toBe(0);
  expect(ledgerOf(project).slice(4)).toEqual(['count 7']);
});

test.each([
  ['inptus: {}', 'Did you mean inputs?', 2],
  ['outputs: { plan: { parts: many } }', 'parts', 2],
  ['outputs: { nobody: 1 }', 'has no task nobody', 4],
  ['state: { a: 1 }', 'only a graph has a state', 4],
  ['inputs: { size: big }', 'size', 2],
  ['- a list', 'no names and values', 2],
])('edits that mean nothing are refused: %s', async (text, said, code) => {
  const project = await finished();
  project.write('edit.yaml', text);
  const answer = await project.piton(['fork', 'v1', '--edit', 'edit.yaml']);
  expect(answer).toMatchObject({ code, stderr: expect.stringContaining(said) });
  expect((await project.json(['list'])) as object[]).toHaveLength(1);
});

test('resume --from shows what runs again, asks, and leaves the original as it was', async () => {
  const project = await finished();
  const before = await project.json(['history', 'v1']);
  const back = ['resume', 'v1', '--from', 'paint'];
  const refused = await project.piton(back, { answer: 'n' });
  expect(refused).toMatchObject({ code: 4, stderr: 'Go on? [y/N]\n' });
  expect(refused.stdout).toContain('Nothing was changed.');
  expect(await project.piton(back)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('piton resume v1 --from paint --yes'),
  });
  expect((await project.piton([...back, '--dry-run'])).stdout).toContain('These tasks run again:');
  expect(ledgerOf(project)).toHaveLength(4);

  const { code, stdout } = await project.piton([...back, '--yes']);
  expect(code).toBe(0);
  expect(stdout).toContain('Run v1-2 goes on from v1@1.');
  expect(await project.json(['history', 'v1'])).toEqual(before);
});

test('a run that has not ended steps back for the fork that takes its place, and can be resumed all the same', async () => {
  const project = newProject();
  writeTraced(project, { build: {}, ask: { needs: ['build'], approval: 'Sure?' }, last: { needs: ['ask'] } });
  expect((await project.piton(['run', 'flow', '--id', 'v1'])).code).toBe(3);
  expect((await project.piton(['resume', 'v1', '--from', 'build', '--yes'])).code).toBe(3);
  expect(ledgerOf(project)).toEqual(['build', 'build']);
  expect(await project.json(['status', 'v1'])).toMatchObject({
    status: 'paused',
    reason: 'superseded by v1-2',
  });
  expect((await project.piton(['resume', '--all'])).code).toBe(0);
  expect(await project.piton(['approve', 'v1', 'ask'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('run v1-2 has taken its place'),
  });
  // Without a name, the fork is meant.
  expect((await project.piton(['resume'])).stdout).toContain('v1-2');
  expect((await project.piton(['approve', 'v1-2', 'ask'])).code).toBe(0);
  expect(ledgerOf(project)).toEqual(['build', 'build', 'ask', 'last']);
  expect((await project.piton(['resume', 'v1'])).code).toBe(3);
  expect(await project.json(['show', 'v1'])).toMatchObject({ about: { supersededBy: 'v1-2' } });
});

test('a run that is driven can be forked, and is not disturbed; it cannot be superseded', async () => {
  const project = newProject();
  writeTraced(project, { build: {}, slow: { needs: ['build'] } }, ['slow']);
  const driver = startPiton(project, ['run', 'flow', '--id', 'v1']);
  await driver.until('slow runs', () => ledgerOf(project).includes('slow'));
  expect(await project.piton(['resume', 'v1', '--from', 'build', '--yes'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('RUN_DRIVEN'),
  });
  expect((await project.piton(['fork', 'v1', '--id', 'f', '--no-drive'])).code).toBe(0);
  release(project, 'slow');
  expect(await driver.ended).toMatchObject({ code: 0 });
  expect((await project.piton(['resume', 'f'])).code).toBe(0);
  expect(ledgerOf(project)).toEqual(['build', 'slow', 'slow']);
});

test('what was under way and may have taken effect is held in the fork; what had only been decided is not', async () => {
  const project = newProject();
  writeTraced(project, { build: {}, deploy: { needs: ['build'], 'on-interrupt': 'ask' } });
  expect((await project.piton(['run', 'flow', '--id', 'v1'])).code).toBe(0);
  const events = await eventsOf(project, 'v1');
  const spawned = events.find((event) => event.type === 'attempt.spawned' && event.task === 'deploy')!.seq;
  expect((await project.piton(['fork', `v1@${spawned}`, '--id', 'held', '--yes'])).code).toBe(3);
  const free = ['fork', 'v1@before:deploy', '--id', 'free'];
  expect((await project.piton(free)).code).toBe(2);
  expect((await project.piton([...free, '--dry-run'])).stdout).toContain('deploy  ✓ succeeded');
  expect((await project.piton([...free, '--yes'])).code).toBe(0);
  expect(ledgerOf(project)).toEqual(['build', 'deploy', 'deploy']);
});

test('a fork of a fork, and one whose id is taken', async () => {
  const project = await finished();
  expect((await project.piton(['fork', 'v1@before:ship'])).code).toBe(0);
  expect((await project.piton(['fork', 'v1-2@before:ship'])).code).toBe(0);
  expect(await project.json(['show', 'v1-3'])).toMatchObject({
    about: { fork: { run: 'v1-2' } },
    status: 'succeeded',
  });
  expect(await project.piton(['fork', 'v1', '--id', 'v1-2'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('RUN_EXISTS'),
  });
  expect((await project.piton(['verify'])).code).toBe(0);
});

test('nothing is left of a fork that was refused', async () => {
  const project = inRepository();
  writeFlow(project, { first: played([[edit('one.txt', 'one\n'), done]]) });
  expect((await project.piton(['run', 'flow', '--id', 'v1'])).code).toBe(0);
  const refs = git(project.folder, 'for-each-ref');
  expect((await project.piton(['fork', 'v1', '-i', 'nothing=1'])).code).toBe(2);
  expect((await project.piton(['fork', 'v1@nowhere'])).code).toBe(2);
  expect(git(project.folder, 'for-each-ref')).toBe(refs);
  const folder = join(project.folder, '.piton');
  expect(existsSync(join(folder, 'piton.db'))).toBe(true);
  expect(readdirSync(join(folder, 'spool')).length).toBeGreaterThan(0);
  expect(readFileSync(join(project.folder, 'a.txt'), 'utf8')).toBe('one\n');
});

test('a checkpoint is found by a name, a task, a time; a name is given once', async () => {
  const project = await finished();
  expect((await project.piton(['checkpoint', 'v1@before:ship', 'painted'])).code).toBe(0);
  const { seq } = (await project.json(['show', 'v1@painted'])) as { seq: number };
  expect(await project.json(['show', 'v1@before:ship'])).toMatchObject({ seq });
  expect(await project.json(['show', 'v1@ship'])).toMatchObject({ tasks: { ship: { status: 'succeeded' } } });
  expect(await project.piton(['show', 'v1@10d'])).toMatchObject({ code: 2 });
  expect(await project.json(['show', 'v1@2999-01-01'])).toMatchObject({ names: { painted: seq } });
  for (const [where, said] of [
    ['paintd', 'Did you mean painted?'],
    ['99', 'Its checkpoints are 1 to'],
    ['constructor', 'Use a number from 1 to'],
    ['before:nobody', 'has no checkpoint before:nobody'],
    ['25:70', 'Use a number from 1 to'],
    ['2000-01-01', 'It began at'],
  ] as const)
    expect(await project.piton(['show', `v1@${where}`])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`${said}[^]*CHECKPOINT_NOT_FOUND`)),
    });
  expect(await project.piton(['checkpoint', 'v1@1', 'painted'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(`v1@${seq} is called painted already`),
  });
  expect((await project.piton(['checkpoint', 'v1', '12'])).code).toBe(2);
  expect((await project.piton(['checkpoint', 'v1', 'ship'])).code).toBe(4);
  expect((await project.piton(['fork', 'v1@painted'])).code).toBe(0);
  expect((await project.piton(['set', 'v1-2', 'name=second'])).code).toBe(0);
  expect((await project.piton(['list'])).stdout).toMatch(/v1-2 .* second +v1@/);
});

test('two checkpoints are compared: inputs, tasks, outputs and files', async () => {
  const project = inRepository();
  writeFlow(project, {
    first: played([[edit('one.txt', 'one\n'), done]]),
    second: played([[edit('two.txt', 'two\n'), done]], { needs: ['first'] }),
  });
  expect((await project.piton(['run', 'flow', '--id', 'v1'])).code).toBe(0);
  const { stdout } = await project.piton(['diff', 'v1@before:second', '--name-only']);
  expect(stdout).toContain('  second: ▶ running → ✓ succeeded\n');
  expect(stdout).not.toContain('first');
  expect(stdout).toMatch(/files:\ntwo\.txt\n/);
  expect(await project.json(['diff', 'v1@first', 'v1@second'])).toMatchObject({
    from: { run: 'v1', status: 'running' },
    tasks: [{ task: 'second', from: 'running', to: 'succeeded', output: { to: 'done' } }],
    files: { files: [{ path: 'two.txt', added: 1 }] },
  });
  expect((await project.piton(['diff', 'v1@3', 'v1'])).stdout).toContain('second');
  expect((await project.piton(['diff', 'v1@3', '3'])).stdout).toContain('Nothing is different');
  expect((await project.piton(['diff', 'v1@3', 'nowhere'])).code).toBe(2);
});

test('a fork whose id is taken touches nothing of that run', async () => {
  const project = inRepository();
  writeFlow(project, {
    make: { run: 'mkdir -p out && echo "$PITON_RUN" > out/name', artifacts: ['out'] },
    first: played([[edit('one.txt', 'one\n'), done]], { needs: ['make'] }),
  });
  project.write(
    '.piton/workflows/gate.yaml',
    JSON.stringify({ name: 'flow', tasks: { ok: { approval: 'Sure?', run: 'true' } } }),
  );
  expect((await project.piton(['run', 'flow', '--id', 'v1'])).code).toBe(0);
  expect((await project.piton(['run', 'flow', '--id', 'v7'])).code).toBe(0);
  expect((await project.piton(['run', 'gate', '--id', 'victim'])).code).toBe(3);
  const state = (): string =>
    git(project.folder, 'for-each-ref') +
    readdirSync(join(project.folder, '.piton/artifacts/v7/make'), { recursive: true }).toString();
  const before = state();
  for (const id of ['v7', 'victim'])
    expect(await project.piton(['fork', 'v1', '--id', id])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('RUN_EXISTS'),
    });
  expect(state()).toBe(before);
});

test('a word to a task is not its beginning', async () => {
  const project = inRepository();
  const gate = { needs: ['slow'], approval: 'Sure?' };
  writeFlow(project, {
    slow: played([[edit('one.txt', 'one\n'), done]]),
    late: played([[edit('two.txt', 'two\n'), done]], gate),
  });
  expect((await project.piton(['run', 'flow', '--id', 'v1'])).code).toBe(3);
  const { seq } = (await project.json(['show', 'v1@before:late'])) as { seq: number };
  expect(await project.json(['show', `v1@${seq}`])).toMatchObject({
    tasks: { slow: { status: 'succeeded' } },
  });
});
