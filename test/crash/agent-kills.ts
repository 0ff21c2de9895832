/** Drivers of agents that are killed at some points or at all others: agents are not disturbed by it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { open, type RunEvent } from '../../src/index.ts';
import { executionsOf } from '../support/commands.ts';
import {
  twoAtATime,
  killAt,
  withoutCommits,
  oneOfEach,
  pointsPassed,
  subfolder,
  type Which,
} from '../support/kill.ts';
import { unlike } from '../support/promises.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const trace = (name: string): object => ({ run: `printf '%s\\n' ${name} >> ledger` });

/** What the agent and its check do can be counted. The check does not pass at first. */
function writeFlow(folder: string): void {
  const turns = [
    [{ say: 'planning' }, trace('look'), { say: 'writing' }, trace('try'), { answer: 'built' }],
    [{ expect: 'not mended' }, trace('mend'), { answer: 'mended' }],
  ];
  const build = {
    agent: 'scripted',
    permissions: 'full',
    prompt: `Do it.\n\`\`\`part\n${JSON.stringify({ turns })}\n\`\`\`\n`,
    check: `printf 'check\\n' >> ledger; grep -q mend ledger || { echo not mended; false; }`,
  };
  writeFileSync(join(folder, 'flow.yaml'), JSON.stringify({ name: 'flow', tasks: { build } }));
}

function drive(folders: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', { args: [JSON.stringify({ folders })], env });
}

function folderOf(root: string, point: string): string {
  return join(root, point.replaceAll(/[^a-z0-9]/g, '-'));
}

/** What was said, without what differs from one time to the next. */
async function transcriptIn(folder: string): Promise<unknown[]> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  const events: RunEvent[] = await Array.fromAsync((await piton.find('run')).events());
  return events.flatMap((event) =>
    event.type === 'transcript.added'
      ? event.data.entries!.map((entry) => JSON.stringify(entry).replaceAll(/"id":"[^"]*"/g, '"id":""'))
      : [],
  );
}

/** Where `npm test` kills: around each kind of commit and of effect. */
const somePoints = [
  'spool:after-prepare#1',
  'spool:after-start#1',
  'after:transcript.added#1',
  'before:session.opened#1',
  'after:session.opened#2',
  'engine:after-save#1',
  'before:work.finished#1',
  'after:attempt.started#2',
  'before:check.failed#1',
  'after:attempt.started#3',
  'before:attempt.ended#4',
];

export async function harmDoneByKills(which: Which): Promise<string[]> {
  const root = temporaryFolder();
  const untouched = subfolder(root, 'untouched');
  writeFlow(untouched);
  const passed = withoutCommits(await pointsPassed((env) => drive([untouched], env)));
  const points = which === 'these' ? somePoints : oneOfEach(passed, somePoints);
  const said = await transcriptIn(untouched);
  expect(said.length).toBeGreaterThan(9);
  const killed: string[] = [];
  await twoAtATime(points, async (point) => {
    const folder = folderOf(root, point);
    mkdirSync(folder);
    writeFlow(folder);
    const start = killAt(point, (env) => drive([folder], env)).then(() => killed.push(point));
    // How many commits a conversation takes depends on how it is read: not all points are reached again.
    await (isCertain(point) ? start : start.catch(() => undefined));
  });
  await drive(killed.map((point) => folderOf(root, point))).ended();
  const found = await Array.fromAsync(points, async (point) => [
    ...unlike({ look: 1, try: 1, mend: 1, check: 2 }, executionsOf(folderOf(root, point)), point),
    ...unlike(said, await transcriptIn(folderOf(root, point)), point),
  ]);
  return found.flat();
}

function isCertain(point: string): boolean {
  return !point.includes('transcript.added') || point.endsWith('#1');
}
