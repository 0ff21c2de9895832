import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open, type RunEvent } from '../../src/index.ts';
import { executionsOf } from '../support/commands.ts';
import { killAt, oneOfEach, placesPassed, subfolder } from '../support/kill.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const trace = (name: string): object => ({ run: `printf '%s\\n' ${name} >> ledger` });

/** What the agent does can be counted. */
function writeFlow(folder: string): void {
  const played = (steps: readonly object[]): object => ({
    agent: 'scripted',
    permissions: 'full',
    prompt: `Do it.\n\`\`\`part\n${JSON.stringify({ steps })}\n\`\`\`\n`,
  });
  const tasks = {
    build: played([
      { say: 'planning' },
      trace('look'),
      { say: 'writing' },
      trace('try'),
      { answer: 'built' },
    ]),
  };
  writeFileSync(join(folder, 'flow.yaml'), JSON.stringify({ name: 'flow', tasks }));
}

function drive(folder: string, env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })], env });
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

test(
  'a driver of agents killed before and after every commit and effect: agents are not disturbed, and nothing they say is lost or told twice',
  { timeout: 180_000 },
  async () => {
    const root = temporaryFolder();
    const untouched = subfolder(root, 'untouched');
    writeFlow(untouched);
    const places = oneOfEach(await placesPassed((env) => drive(untouched, env)));
    const said = await transcriptIn(untouched);

    expect(said.length).toBeGreaterThan(6);
    let kills = 0;
    for (const place of places) {
      const folder = subfolder(root, place.replaceAll(/[^a-z0-9]/g, '-'));
      writeFlow(folder);
      // How many commits a conversation takes depends on how it is read: a place may not be reached.
      const killed = await killAt(place, (env) => drive(folder, env)).then(
        () => true,
        () => false,
      );
      if (killed) kills++;
      if (killed) await drive(folder).ended();
      expect.soft([place, executionsOf(folder)]).toEqual([place, { look: 1, try: 1 }]);
      expect.soft([place, await transcriptIn(folder)]).toEqual([place, said]);
    }
    expect(kills).toBeGreaterThan(places.length * 0.7);
  },
);
