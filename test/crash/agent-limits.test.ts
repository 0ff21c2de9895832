import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { executionsOf } from '../support/commands.ts';
import { killAt } from '../support/kill.ts';
import { eventsOf, played, startsOf, writeFlow } from '../support/scripted-place.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const trace = (name: string): object => ({ run: `printf '%s\\n' ${name} >> ledger` });

/** An agent that is stopped in the middle by a limit which soon ends. */
function prepare(folder: string): void {
  const limited = [trace('look'), { limit: { in: '300ms', text: 'too much' } }];
  writeFlow(folder, { build: played([limited, [trace('try'), { answer: 'built' }]]) });
}

function drive(folder: string, env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })], env });
}

test.each([
  'before:task.delayed#1',
  'after:task.delayed#1',
  'after:attempt.started#2',
  'spool:after-start#2',
  'before:attempt.ended#2',
])(
  'a driver killed %s, around the wait for a limit: its agent goes on after it, and does nothing twice',
  async (place) => {
    const folder = temporaryFolder();
    prepare(folder);
    await killAt(place, (env) => drive(folder, env));
    expect((await drive(folder).ended()).lines).toContain('ended succeeded');

    expect(executionsOf(folder)).toEqual({ look: 1, try: 1 });
    await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
    const starts = startsOf(await eventsOf(await piton.find('run')));
    expect(new Set(starts.map(({ agent }) => agent!.session)).size).toBe(1);
    expect(starts.slice(1).map(({ agent }) => agent!.how)).not.toContain('new');
  },
);
