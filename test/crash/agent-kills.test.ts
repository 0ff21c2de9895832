import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open, type RunEvent } from '../../src/index.ts';
import { executionsOf } from '../support/commands.ts';
import { eachAtOnce, killAt, oneOfEach, placesPassed, subfolder } from '../support/kill.ts';
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

test('a driver of agents killed before and after every commit and effect: agents are not disturbed, and nothing they say is lost or told twice', async () => {
  const root = temporaryFolder();
  const untouched = subfolder(root, 'untouched');
  writeFlow(untouched);
  const passed = await placesPassed((env) => drive([untouched], env));
  const places = oneOfEach(passed);
  const said = await transcriptIn(untouched);

  expect(said.length).toBeGreaterThan(9);
  expect(passed.flat()).toEqual(
    expect.arrayContaining(['after:attempt.started#3', 'before:attempt.ended#4']),
  );
  const killed: string[] = [];
  await eachAtOnce(places, async (place) => {
    const folder = folderOf(root, place);
    mkdirSync(folder);
    writeFlow(folder);
    // How many commits a conversation takes depends on how it is read: a place may not be reached.
    await killAt(place, (env) => drive([folder], env)).then(
      () => killed.push(place),
      () => undefined,
    );
  });
  await drive(killed.map((place) => folderOf(root, place))).ended();
  for (const place of places) {
    const folder = folderOf(root, place);
    expect.soft([place, executionsOf(folder)]).toEqual([place, { look: 1, try: 1, mend: 1, check: 2 }]);
    expect.soft([place, await transcriptIn(folder)]).toEqual([place, said]);
  }
  expect(killed.length).toBeGreaterThan(places.length * 0.7);
});
