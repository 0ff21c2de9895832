import { expect, test } from 'vitest';
import { randomId, systemClock } from '../../src/base/index.ts';
import type { AgentPorts, TranscriptPart } from '../../src/engine/agent-ports.ts';
import { agentWork } from '../../src/engine/agent-work.ts';
import type { Attempt } from '../../src/engine/attempt.ts';
import { ProcessAttempt, type ProcessWork } from '../../src/engine/process-attempt.ts';
import type { AttemptState, RunState, TaskState } from '../../src/kernel/index.ts';
import type { Outcome, TaskSpec } from '../../src/model/index.ts';
import type { Spool } from '../../src/spool/index.ts';
import { openSpool, type TestSpool } from '../spool/open-spool.ts';
import { lateSpool } from '../support/late-spool.ts';

/** What an attempt needs of its driver, over a spool of another machine. */
function portsOver(spool: Spool, more: Partial<AgentPorts> = {}): AgentPorts {
  return {
    spool,
    clock: systemClock,
    environment: {},
    secrets: [],
    agents: {},
    graceMs: 1_000,
    lingerMs: 60_000,
    idleTimeoutMs: 0,
    maxOutputBytes: 10_000,
    head: () => undefined,
    heartbeatTrouble: () => undefined,
    save: async () => {},
    spawned: () => {},
    stalled: () => {},
    boundary: () => {},
    isHarmless: () => false,
    ...more,
  } as AgentPorts;
}

function taskOf(id: string): { readonly task: TaskState; readonly attempt: AttemptState } {
  const attempt: AttemptState = { id, number: 1, startedAt: 0 };
  const spec = { name: 't', sandbox: 'off', work: { type: 'command' } } as unknown as TaskSpec;
  const task = { address: 't', spec, stage: { name: 'work' }, life: { status: 'running', attempt } };
  return { task: task as unknown as TaskState, attempt };
}

interface Stopping {
  readonly id: string;
  readonly text: string;
  /** Why nothing is begun at the moment. */
  readonly trouble?: string;
}

/** A command that is stopped at the very moment at which the spool answers a question. */
function stoppedAt(question: string, bench: TestSpool, { id, text, trouble }: Stopping) {
  const answers: string[] = [];
  const ended = Promise.withResolvers<Outcome>();
  const asked = { type: 'cancelled', text: 'enough' } as const;
  const spool = lateSpool(bench.spool, (answered) => {
    answers.push(answered);
    if (answered === question) attempt.stop(asked);
  });
  const work: ProcessWork = {
    onInterrupt: 'restart',
    order: () => bench.order(text, { attempt: id }),
    outcomeOf: async ({ code }) =>
      code === 0
        ? { type: 'succeeded' }
        : { type: 'failed', failure: { code: 'X', message: '', retryable: true } },
  };
  const ports = portsOver(spool, {
    ended: (_, outcome) => ended.resolve(outcome),
    place: async () => ({ folder: bench.place, enter: async (order) => order }),
    heartbeatTrouble: () => trouble,
  });
  const { task, attempt: state } = taskOf(id);
  const attempt = new ProcessAttempt({ task, attempt: state }, ports, () => work);
  return { attempt, task, answers, ended: ended.promise };
}

test('who is asked to stop while it is read whether another had asked is stopped', async () => {
  const bench = openSpool();
  const { attempt: id, ended } = await bench.begin('exit 1');
  await ended();
  const stopped = stoppedAt('stopNote', bench, { id, text: '' });
  stopped.attempt.attach({ type: 'vanished' });
  expect(await stopped.ended).toEqual({ type: 'cancelled', reason: 'enough' });
});

test('who is cancelled while it is kept from beginning for another reason is cancelled', async () => {
  const bench = openSpool();
  const id = randomId();
  const stopped = stoppedAt('claim', bench, { id, text: 'true', trouble: 'its lease is not renewed' });
  stopped.attempt.begin({ createdAt: 0 } as RunState, stopped.task);
  expect(await stopped.ended).toEqual({ type: 'cancelled', reason: 'enough' });
  expect(await bench.spool.list()).toEqual([]);
});

test('why it is stopped is noted before it is asked to, however long the note takes', async () => {
  const bench = openSpool();
  const id = randomId();
  const text = 'trap "exit 9" TERM; echo begun; while :; do sleep 0.01; done';
  const stopped = stoppedAt('nothing', bench, { id, text });
  stopped.attempt.begin({ createdAt: 0 } as RunState, stopped.task);
  await expect.poll(async () => (await bench.spool.lastLine(id))?.text, { timeout: 60_000 }).toBe('begun');
  stopped.attempt.stop({ type: 'cancelled', text: 'enough' });
  expect(await stopped.ended).toEqual({ type: 'cancelled', reason: 'enough' });
  const first = stopped.answers.find((answer) => answer === 'noteStop' || answer === 'fence');
  expect(first).toBe('noteStop');
  expect(JSON.parse((await bench.spool.stopNote(id))!)).toEqual({ type: 'cancelled', text: 'enough' });
});

const said = [
  { type: 'system', subtype: 'init', session_id: 'c9b0a1d2-0000-4000-8000-000000000002' },
  { type: 'assistant', message: { content: [{ type: 'text', text: 'looking' }] } },
  { type: 'result', subtype: 'success', is_error: false, result: 'done' },
];

test('what an agent says is told once and in its order, though its end is read while it is read along', async () => {
  const bench = openSpool();
  const text = said.map((event) => `echo '${JSON.stringify(event)}'`).join('\n');
  const { attempt: id, process, ended } = await bench.begin(text, { input: 'Look.' });
  await ended();
  const told: TranscriptPart[] = [];
  const ports = portsOver(lateSpool(bench.spool), { transcript: (_, part) => told.push(part) });
  const spec = {
    onInterrupt: 'continue',
    work: { type: 'agent', agents: ['claude'], args: [], secrets: [], permissions: 'full' },
  } as unknown as TaskSpec;
  const attempt: AttemptState = { id, number: 1, startedAt: 0, agent: { name: 'claude', how: 'new' } };
  const work = agentWork({ spec, attempt, cli: undefined }, ports, { id, task: 't' } as Attempt);
  const leaving = new AbortController();
  const reading = work.readAlong!(leaving.signal, process);
  expect(await work.outcomeOf({ code: 0, timedOut: false })).toMatchObject({ type: 'succeeded' });
  leaving.abort();
  await reading;
  const entries = told.flatMap((part) => part.entries) as { readonly type: string }[];
  expect(entries.map(({ type }) => type)).toEqual(['message', 'session', 'message', 'result']);
});

test('of an agent that another driver has by now, nothing is told', async () => {
  const bench = openSpool();
  const { attempt: id, process, ended } = await bench.begin(`echo '${JSON.stringify(said[0])}'`);
  await ended();
  const leaving = new AbortController();
  const told: TranscriptPart[] = [];
  const spool = lateSpool(bench.spool, (answered) => answered === 'readFrom' && leaving.abort());
  const ports = portsOver(spool, { transcript: (_, part) => told.push(part) });
  const spec = {
    onInterrupt: 'continue',
    work: { type: 'agent', agents: ['claude'], args: [], secrets: [], permissions: 'full' },
  } as unknown as TaskSpec;
  const attempt: AttemptState = { id, number: 1, startedAt: 0, agent: { name: 'claude', how: 'new' } };
  const work = agentWork({ spec, attempt, cli: undefined }, ports, { id, task: 't' } as Attempt);
  expect(await work.readAlong!(leaving.signal, process)).toBeUndefined();
  expect(told).toEqual([]);
});
