import { expect, test } from 'vitest';
import { manualClock, stateGraph, workflow, type Piton, type Run } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { latch, openPiton } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function asked(run: Run, task: string): Promise<void> {
  await eventually(`${task} asks`, async () => (await run.checkpoint()).tasks[task]?.gate !== undefined);
}

test('a task that asks gives its answer to those who need it, and tells who answered', async () => {
  const piton = await openPiton();
  const flow = workflow<{ app: string }>('flow')
    .ask('target', { choices: ['staging', 'production'] }, 'Deploy ${{ inputs.app }} where?')
    .ask('note', 'Anything to say?')
    .task('deploy', { needs: ['target', 'note'] }, ({ needs }) => `${needs.target}: ${needs.note}`);
  const run = await piton.start(flow, { id: 'r', inputs: { app: 'web' } });
  await asked(run, 'note');
  expect((await run.checkpoint()).tasks['target']).toMatchObject({
    status: 'held',
    reason: 'Deploy web where?',
    question: { type: 'choice', choices: ['staging', 'production'] },
    actions: ['answer', 'reject', 'skip'],
  });
  expect(await piton.inbox()).toMatchObject([
    {
      task: 'target',
      reason: 'Deploy web where?',
      question: { type: 'choice' },
      actions: [{ action: 'answer' }, {}, {}],
    },
    { task: 'note', question: { type: 'string' } },
  ]);
  expect(await run.answer('target', 'nowhere')).toMatchObject({
    status: 'refused',
    text: expect.stringContaining('one of'),
  });
  expect(await run.approve('target')).toMatchObject({ status: 'refused' });
  expect(await run.answer('target', 'staging', { comment: 'as always' })).toMatchObject({
    status: 'accepted',
  });
  await run.answer('note', 'none');
  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { deploy: 'staging: none' } });
  const events = await Array.fromAsync(run.history());
  const decided = events.find(({ type }) => type === 'gate.decided');
  expect(decided).toMatchObject({
    data: { answer: 'staging', comment: 'as always', by: { pid: process.pid } },
  });
});

test('a node of a graph that asks changes the state as it is told to', async () => {
  const piton = await openPiton();
  const flow = stateGraph<{ tries: number }>('graph', { state: { tries: 0 } })
    .ask(
      'more',
      { type: 'boolean', update: (more, { tries }) => ({ tries: more ? tries + 1 : tries }) },
      'More?',
    )
    .edge('more', 'more', ({ tries }) => tries < 2)
    .edge('more', 'end');
  const run = await piton.start(flow, { id: 'r' });
  for (const visit of ['more#1', 'more#2']) {
    await asked(run, visit);
    await run.answer(visit, true);
  }
  expect(await run.result()).toMatchObject({ status: 'succeeded', state: { tries: 2 } });
});

test('a function asks, others go on meanwhile, and it gets a typed answer; waiting is no running time', async () => {
  const clock = manualClock();
  const piton = await openPiton({ clock });
  const flow = workflow('flow')
    .task('ask', { timeout: '1m' }, async ({ ask }) => {
      const [port, sure] = await Promise.all([
        ask('Which port?', { type: 'integer', default: 1 }),
        ask('Sure?', { type: 'boolean' }),
      ]);
      return sure ? port + 1 : 0;
    })
    .task('beside', () => 'done');
  const run = await piton.start(flow, { id: 'r' });
  await eventually(
    'the other is done',
    async () => (await run.checkpoint()).tasks['beside']?.status === 'succeeded',
  );
  await asked(run, 'ask');
  expect(await run.status()).toBe('held');
  clock.advance(3_600_000);
  expect(await run.answer('ask', 'x')).toMatchObject({ status: 'refused' });
  expect(await run.answer('ask', 8080)).toMatchObject({ status: 'accepted' });
  await eventually('it asks the next', async () => (await run.checkpoint()).tasks['ask']?.reason === 'Sure?');
  await run.answer('ask', true);
  expect(await run.result()).toMatchObject({ outputs: { ask: 8081 } });
});

test('a function is told of a rejection, of a deadline and of a wrong question, and its failure says so', async () => {
  const clock = manualClock();
  const piton = await openPiton({ clock });
  const flow = workflow('flow')
    .task('refused', { retry: 3 }, ({ ask }) => ask('May I?', { type: 'boolean' }))
    .task('late', ({ ask }) => ask('Who?', { deadline: '1h' }))
    .task('taken', ({ ask }) => ask('Who?', { deadline: '1h', default: 'nobody' }))
    .task('caught', ({ ask }) =>
      ask('Who?', { deadline: '1h' }).catch((error: { code: string }) => error.code),
    )
    .task('wrong', ({ ask }) => ask('Which?', { choices: ['a', 'a'] }));
  const run = await piton.start(flow, { id: 'r' });
  for (const task of ['refused', 'late', 'taken', 'caught']) await asked(run, task);
  await run.reject('refused', 'never');
  clock.advance(3_600_000);
  expect(await run.result()).toMatchObject({ status: 'failed' });
  const { tasks } = await run.checkpoint();
  expect(tasks['refused']).toMatchObject({
    error: { code: 'REJECTED', message: expect.stringContaining('never') },
    attempts: 1,
  });
  expect(tasks['late']).toMatchObject({ error: { code: 'NO_ANSWER' } });
  expect(tasks['taken']).toMatchObject({ output: 'nobody' });
  expect(tasks['caught']).toMatchObject({ output: 'NO_ANSWER' });
  expect(tasks['wrong']).toMatchObject({ error: { code: 'ASK_INVALID' } });
});

test('a function whose process let go of the run is started again with the answer, and asks nothing twice', async () => {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const calls: string[] = [];
  const flow = workflow('flow').task('a', async ({ ask }) => {
    calls.push('begun');
    const first = await ask('First?');
    calls.push(first);
    const second = await ask('Second?', { key: 'second' });
    return `${first} ${second}`;
  });
  const began = async (): Promise<[Piton, Run]> => {
    const piton = await openPiton({ store, durability: 'process' });
    return [piton, await piton.start(flow, { id: 'r' })];
  };
  const [first, run] = await began();
  await asked(run, 'a');
  await run.answer('a', 'one');
  await eventually(
    'the second is asked',
    async () => (await run.checkpoint()).tasks['a']?.reason === 'Second?',
  );
  await first.close();
  const [, again] = await began();
  expect(await again.checkpoint()).toMatchObject({ status: 'held', tasks: { a: { reason: 'Second?' } } });
  expect(calls).toEqual(['begun', 'one']);
  await again.answer('a', 'two');
  expect(await again.result()).toMatchObject({ outputs: { a: 'one two' } });
  expect(calls).toEqual(['begun', 'one', 'begun', 'one']);
  const opened = (await Array.fromAsync(again.history())).filter(({ type }) => type === 'gate.opened');
  expect(opened).toHaveLength(2);
});

test('a question ends with its run, and an ended attempt asks nothing', async () => {
  const piton = await openPiton();
  const later = latch<(question: string) => Promise<string>>();
  const flow = workflow('flow')
    .task('a', ({ ask }) => ask('Who?'))
    .task('b', ({ ask }) => later.open(ask));
  const run = await piton.start(flow, { id: 'r' });
  await asked(run, 'a');
  const ask = await later.opened;
  await eventually('b is done', async () => (await run.checkpoint()).tasks['b']?.status === 'succeeded');
  await expect(ask('Still there?')).rejects.toMatchObject({ code: 'STOPPED' });
  await run.cancel();
  expect(await run.result()).toMatchObject({ status: 'cancelled' });
  expect((await run.checkpoint()).tasks['a']).toMatchObject({ status: 'cancelled' });
});
