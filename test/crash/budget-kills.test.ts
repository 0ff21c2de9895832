/** Drivers of an agent that uses up its budget are killed where it is counted, stopped, held and raised. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open, type RunEvent } from '../../src/index.ts';
import { killAt, twoAtATime } from '../support/kill.ts';
import { unlike } from '../support/promises.ts';
import { played, writeFlow } from '../support/scripted-place.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const build = played(
  [
    [
      { usage: { input: 90, output: 0, soFar: true } },
      { usage: { input: 150, output: 0, soFar: true } },
      { hang: true },
    ],
    [{ usage: { input: 20, output: 0, costUsd: 1 } }, { answer: 'done' }],
  ],
  { budget: { tokens: 100 } },
);

const stopping = [
  'after:transcript.added#1',
  'engine:after-stop-note#1',
  'engine:after-fence#1',
  'before:attempt.ended#1',
  'after:task.held#1',
];
const raising = ['before:budget.raised#1', 'after:budget.raised#1'];

function drive(folders: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', { args: [JSON.stringify({ folders })], env });
}

async function raise(folder: string): Promise<void> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  const result = await (await piton.find('run')).raiseBudget('build', { tokens: 200 }, { by: 'ada' });
  expect(result.status).toBe('queued');
}

async function found(folder: string): Promise<unknown> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  const events: RunEvent[] = await Array.fromAsync((await piton.find('run')).events());
  const times = (type: string): number => events.filter((event) => event.type === type).length;
  const held = events.find((event) => event.type === 'task.held');
  const [used] = await piton.usage();
  return {
    status: await (await piton.find('run')).status(),
    reason: held?.data.reason,
    raised: times('budget.raised'),
    used: { tokens: used!.tokens, usd: used!.usd, unpricedTokens: used!.unpricedTokens },
  };
}

test('a driver killed while a budget is counted, passed, held and raised: nothing is counted twice or forgotten, and it is raised once', async () => {
  const root = temporaryFolder();
  const folderOf = (point: string): string => join(root, point.replaceAll(/[^a-z0-9]/g, '-'));
  const all = [...stopping, ...raising];
  for (const point of all) {
    mkdirSync(folderOf(point));
    writeFlow(folderOf(point), { build });
  }
  await twoAtATime(stopping, (point) => killAt(point, (env) => drive([folderOf(point)], env)));
  await drive(all.map(folderOf)).ended();
  for (const point of all) await raise(folderOf(point));
  await twoAtATime(raising, (point) => killAt(point, (env) => drive([folderOf(point)], env)));
  await drive(all.map(folderOf)).ended();

  const wanted = {
    status: 'succeeded',
    reason: 'the budget of the task, 100 tokens, is used up: 150',
    raised: 1,
    used: { tokens: 170, usd: 1, unpricedTokens: 150 },
  };
  const harm = await Array.fromAsync(all, async (point) =>
    unlike(wanted, await found(folderOf(point)), point),
  );
  expect(harm.flat()).toEqual([]);
});
