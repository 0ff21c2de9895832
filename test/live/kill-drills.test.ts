import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import type { RunEvent } from '../../src/index.ts';
import { testedClis, type AgentCliName } from '../support/agent-clis.ts';
import { eventually } from '../support/eventually.ts';
import {
  kill,
  lastConversation,
  livePlace,
  lostSessions,
  sessionsOf,
  startsOf,
  type LivePlace,
  type Tasks,
} from '../support/live-agents.ts';
import type { Program } from '../support/start-program.ts';

const patienceMs = 120_000;

function work(agent: AgentCliName, prompt: string, more: object = {}): Tasks {
  return { task: { agent, permissions: 'full', prompt, ...more } };
}

/** The model hangs in the middle of an answer, as often as that has happened before and once more. */
async function stalls({ server, hasWritten, printed }: LivePlace, before = 0): Promise<void> {
  const stalled = () => server.log().filter(({ state }) => state === 'stalling').length;
  const cut = () => server.log().filter(({ state, side }) => state === 'cut' && side === undefined).length;
  await eventually('the model hangs', () => stalled() > 0 && cut() >= before, patienceMs);
  await eventually('the session is told', () => /session_?id|thread_id/i.test(printed()), patienceMs);
  await eventually('the session is written', () => hasWritten('Remember KIWI'), patienceMs);
}

async function toolRuns({ project }: LivePlace): Promise<void> {
  await eventually('the tool runs', () => existsSync(join(project, 'started')), patienceMs);
}

async function killBoth(driver: Program, place: LivePlace): Promise<void> {
  await kill(driver);
  await place.killAgents();
}

/** What must be true after any death. */
async function goOnWell(place: LivePlace, output: string): Promise<readonly RunEvent[]> {
  const run = await place.goOn();
  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: output } });
  expect(place.survivors()).toEqual([]);
  const events = await Array.fromAsync(run.events());
  expect(place.gaps(events)).toEqual([]);
  return events;
}

function expectOneSession(events: readonly RunEvent[]): void {
  expect(new Set(sessionsOf(events, 'task')).size).toBe(1);
  expect(lostSessions(events, 'task')).toBe(0);
}

/** How often the task is in what the model was told at last: an agent that had said nothing is given it again. */
function timesTold({ server }: LivePlace): number {
  return lastConversation(server).split('Remember KIWI').length - 1;
}

const slowAnswer = 'Remember KIWI. [[say:halfway]] [[stall:8:1]]';
/** Gemini CLI forgets a call that was cut off, and the model makes it again: then it has nothing to do. */
const slowTool = 'Remember KIWI. [[shell:test -e started || { touch started; sleep 300; }]] [[say:worked]]';

describe.each(testedClis())('$name', ({ name: agent }) => {
  test('is not interrupted by the death of its driver: the same process gives the answer', async () => {
    const place = await livePlace([agent]);
    const driver = place.drive(work(agent, slowAnswer));
    await stalls(place);
    await kill(driver);
    const before = place.processes();
    const events = await goOnWell(place, 'halfway');

    expect(startsOf(events, 'task')).toHaveLength(1);
    const spawned = events.flatMap((event) =>
      event.type === 'attempt.spawned' ? [event.data.process.pid] : [],
    );
    expect(before).toContain(spawned[0]);
    expect(events.find(({ type }) => type === 'attempt.recovered')).toMatchObject({
      data: { how: 'adopted' },
    });
    expectOneSession(events);
  });

  test('killed with its driver in the middle of an answer, goes on in its session, and is asked again', async () => {
    const place = await livePlace([agent]);
    const driver = place.drive(work(agent, slowAnswer));
    await stalls(place);
    await killBoth(driver, place);
    const events = await goOnWell(place, 'halfway');

    expectOneSession(events);
    expect(startsOf(events, 'task').at(-1)).toMatchObject({ data: { agent: { rung: 'session' } } });
    expect(timesTold(place)).toBe(2);
    // Nothing of it had come out: it is simply asked again, unless it might have done something unseen.
    const { showsToolStart } = agentNamed(agent);
    const isTold = lastConversation(place.server).includes('working on this task and were interrupted');
    expect(isTold).toBe(!showsToolStart);
  });

  test('killed with its driver while a tool runs, leaves nothing of that, and is told so', async () => {
    const place = await livePlace([agent]);
    const driver = place.drive(work(agent, slowTool, { 'on-interrupt': 'restart' }));
    await toolRuns(place);
    await eventually('the call is told', () => place.printed().includes('sleep 300'));
    await kill(driver);
    // The agent alone, as whoever ends a process would: what escapes is for Piton to find.
    place.killSession();
    const events = await goOnWell(place, 'worked');

    expectOneSession(events);
    expect(lastConversation(place.server)).toContain('Remember KIWI');
    expect(lastConversation(place.server)).toContain('In flight when you were interrupted');
  });

  test('killed with its driver before its first word, begins again', async () => {
    const place = await livePlace([agent]);
    // Until its plugin has spoken nobody knows what OpenCode is doing, so that it would be held: here it may go on.
    const tasks = work(agent, 'Remember KIWI. [[say:worked]]', { 'on-interrupt': 'restart' });
    const driver = place.drive(tasks);
    await eventually('it has begun', () => place.processes().length > 1, patienceMs);
    await killBoth(driver, place);
    expect(place.printed()).toBe('');
    const events = await goOnWell(place, 'worked');

    // Where its id was chosen beforehand, it is tried first: nobody knows whether it was written.
    expect(new Set(sessionsOf(events, 'task')).size).toBe(1);
    expect(lastConversation(place.server)).toContain('Remember KIWI');
  });

  test('killed with its driver after its result, is not asked again', async () => {
    const place = await livePlace([agent]);
    const driver = place.drive(work(agent, 'Remember KIWI. [[say:worked]]'));
    const isDone = (): boolean => /"type":"result"|turn\.completed|"reason":"stop"/.test(place.printed());
    await eventually('its result is there', isDone, patienceMs);
    driver.child.kill('SIGKILL');
    await killBoth(driver, place);
    const events = await goOnWell(place, 'worked');

    expectOneSession(events);
    expect(startsOf(events, 'task')).toHaveLength(1);
    expect(place.server.log().filter(({ side }) => side === undefined)).toHaveLength(1);
  });

  test('killed with its driver twice in a row, still is one session', async () => {
    const place = await livePlace([agent]);
    const tasks = work(agent, 'Remember KIWI. [[say:halfway]] [[stall:60:2]]');
    const first = place.drive(tasks);
    await stalls(place);
    await killBoth(first, place);
    const second = place.drive(tasks);
    await stalls(place, 1);
    await killBoth(second, place);
    const events = await goOnWell(place, 'halfway');

    expectOneSession(events);
    expect(startsOf(events, 'task')).toHaveLength(3);
    expect(timesTold(place)).toBe(3);
  });

  test('killed alone, goes on under the same driver', async () => {
    const place = await livePlace([agent]);
    const run = await place.run(work(agent, slowAnswer));
    await stalls(place);
    await place.killAgents();
    expect(await run.result()).toMatchObject({ outputs: { task: 'halfway' } });
    const events = await Array.fromAsync(run.events());
    expectOneSession(events);
    expect(place.gaps(events)).toEqual([]);
    expect(place.survivors()).toEqual([]);
  });
});
