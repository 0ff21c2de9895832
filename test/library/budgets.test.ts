import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageTally } from '../support/usage-tally.ts';
import type { Run, RunEvent } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { openPlace, played, startsOf, transcriptOf, type Place } from '../support/scripted-place.ts';

const soFar = (input: number): object => ({ usage: { input, output: 0, soFar: true } });

/** A line of the agent's stream, word for word. */
const line = (event: object): object => ({ garbage: JSON.stringify(event) });
const push = { event: 'tool', id: 'one', name: 'Bash', input: { command: 'git push' } };
const pushed = { event: 'tool-ended', id: 'one', output: 'pushed' };
const spent = (input: number): object => line({ event: 'used', input, output: 0, soFar: true });

/** Kills the agent at work with -9, and whoever would write how it ended. */
async function killAgent({ folder, piton }: Place, file: string): Promise<void> {
  await eventually(`the agent has made ${file}`, () => existsSync(join(folder, file)));
  const living = (await piton.keptAttempts()).find(({ pid }) => pid !== undefined);
  process.kill(-living!.pid!, 'SIGKILL');
}

async function held(run: Run): Promise<{ reason?: string; actions?: readonly string[] }> {
  await eventually('it is held', async () => (await run.checkpoint()).tasks['build']!.status === 'held');
  const { reason = '', actions = [] } = (await run.checkpoint()).tasks['build']!;
  return { reason, actions };
}

/** All that the runs of a place tell from now on: the events of one that is held do not end. */
function eventsFrom({ piton }: Place): RunEvent[] {
  const events: RunEvent[] = [];
  piton.observe((event) => {
    if ('data' in event) events.push(event);
  });
  return events;
}

/** As `piton status` and `piton show` sum it up. */
function tallied(events: readonly RunEvent[]): unknown {
  const tally = new UsageTally();
  for (const event of events) tally.add(event);
  return tally.total();
}

function endsOf(events: readonly RunEvent[]): unknown[] {
  return events.flatMap((event) => (event.type === 'attempt.ended' ? [event.data] : []));
}

describe('a budget of tokens', () => {
  test('counts what a killed attempt told, stops the next one when it is passed, and is raised by an amount', async () => {
    const place = await openPlace();
    const events = eventsFrom(place);
    const build = played(
      [
        [soFar(150_000), soFar(400_000), { edit: { file: 'one', text: 'x' } }, { hang: true }],
        [soFar(100_000), soFar(200_000), { hang: true }],
        [{ usage: { input: 50_000, output: 0, costUsd: 1 } }, { answer: 'done' }],
      ],
      { budget: { tokens: 500_000 } },
    );
    const run = await place.run({ build });
    await killAgent(place, 'one');

    expect(await held(run)).toEqual({
      reason: 'the budget of the task, 500000 tokens, is used up: 600000',
      actions: ['raise-tokens', 'skip'],
    });
    expect(endsOf(events).at(-1)).toMatchObject({ outcome: 'interrupted', graceful: true });
    expect(await run.retry('build')).toMatchObject({ status: 'refused' });
    expect(await run.raiseBudget('build', { tokens: 200_000 }, { by: 'ada' })).toEqual({
      status: 'accepted',
      text: 'the budget of the task is raised by 200000 tokens, and build goes on',
    });
    expect(await run.result()).toMatchObject({ status: 'succeeded' });

    const sessions = startsOf(events).map(({ agent }) => agent!.session);
    expect(sessions).toHaveLength(3);
    expect(new Set(sessions).size).toBe(1);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'budget.raised', data: { of: 'task', tokens: 200_000, by: 'ada' } }),
    );
    const used = { input: 650_000, output: 0, cachedInput: 0, costUsd: 1, unpricedTokens: 600_000 };
    expect(tallied(events)).toEqual(used);
    expect(await place.piton.usage()).toMatchObject([{ tokens: 650_000, usd: 1, unpricedTokens: 600_000 }]);
  });

  test('of the run stops all that work', async () => {
    const place = await openPlace();
    const over = [{ await: join(place.folder, 'go') }, soFar(200), { hang: true }];
    const run = await place.run(
      {
        build: played([over], { permissions: 'read' }),
        other: played([[{ edit: { file: 'other', text: 'x' } }, { hang: true }]]),
      },
      { budget: { tokens: 100 } },
    );
    await eventually('the other works', () => existsSync(join(place.folder, 'other')));
    writeFileSync(join(place.folder, 'go'), '');
    await held(run);
    await eventually('both are held', async () => (await run.status()) === 'held');
    const { tasks } = await run.checkpoint();
    expect(tasks['other']).toMatchObject({
      status: 'held',
      reason: 'the budget of the run, 100 tokens, is used up: 200',
    });
  });

  test('does not cut off a call whose effect would be unknown: it is stopped when that has ended', async () => {
    const place = await openPlace();
    const events = eventsFrom(place);
    const go = join(place.folder, 'go');
    const steps = [line(push), spent(200), { await: go }, line(pushed), { hang: true }];
    const run = await place.run({ build: played([steps], { budget: { tokens: 100 } }) });
    await eventually('what it used is known', () =>
      transcriptOf(events).some(({ type }) => type === 'usage'),
    );
    writeFileSync(go, '');
    expect(await held(run)).toMatchObject({ actions: ['raise-tokens', 'skip'] });
    expect(endsOf(events)).toMatchObject([{ boundary: 'between two tool calls' }]);
  });

  test('cuts it off when it uses even more meanwhile, and then a person is told both', async () => {
    const place = await openPlace();
    const events = eventsFrom(place);
    const go = join(place.folder, 'go');
    const steps = [line(push), spent(200), { await: go }, spent(300), { hang: true }];
    const run = await place.run({ build: played([steps], { budget: { tokens: 100 } }) });
    await eventually('what it used is known', () =>
      transcriptOf(events).some(({ type }) => type === 'usage'),
    );
    writeFileSync(go, '');
    expect(await held(run)).toEqual({
      reason:
        "it was interrupted in tool 'Bash: git push': whether that took effect, nobody knows; and the budget of the task, 100 tokens, is used up: 300",
      actions: ['retry', 'done', 'skip'],
    });
    await run.retry('build');
    await eventually('it is held for the budget alone', async () =>
      ((await run.checkpoint()).tasks['build']!.reason ?? '').startsWith('the budget'),
    );
  });
});
