/** Drivers of agents that are killed at some places or at all others: agents are not disturbed by it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { open, type RunEvent } from '../../src/index.ts';
import { executionsOf } from '../support/commands.ts';
import {
  eachAtOnce,
  killAt,
  named,
  oneOfEach,
  placesPassed,
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

function folderOf(root: string, place: string): string {
  return join(root, place.replaceAll(/[^a-z0-9]/g, '-'));
}

/** What was said, without what differs from one time to the next. */
async function transcriptIn(folder: string): Promise<unknown[]> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  const events: RunEvent[] = await Array.fromAsync((await piton.find('run')).events());
  return events.flatMap((event) =>
    event.type === 'transcript.added'
      ? event.data.entries.map((entry) => JSON.stringify(entry).replaceAll(/"id":"[^"]*"/g, '"id":""'))
      : [],
  );
}

/** Where `npm test` kills: around each kind of commit and of effect. */
const somePlaces = [
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
  const passed = named(await placesPassed((env) => drive([untouched], env)));
  const places = which === 'these' ? somePlaces : oneOfEach(passed, somePlaces);
  const said = await transcriptIn(untouched);
  expect(said.length).toBeGreaterThan(9);
  const killed: string[] = [];
  await eachAtOnce(places, async (place) => {
    const folder = folderOf(root, place);
    mkdirSync(folder);
    writeFlow(folder);
    const start = killAt(place, (env) => drive([folder], env)).then(() => killed.push(place));
    // How many commits a conversation takes depends on how it is read: not all places are reached again.
    await (isCertain(place) ? start : start.catch(() => undefined));
  });
  await drive(killed.map((place) => folderOf(root, place))).ended();
  const found = await Array.fromAsync(places, async (place) => [
    ...unlike({ look: 1, try: 1, mend: 1, check: 2 }, executionsOf(folderOf(root, place)), place),
    ...unlike(said, await transcriptIn(folderOf(root, place)), place),
  ]);
  return found.flat();
}

function isCertain(place: string): boolean {
  return !place.includes('transcript.added') || place.endsWith('#1');
}
