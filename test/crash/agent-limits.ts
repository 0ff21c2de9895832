/** Agents that wait for a limit, whose driver is killed around the wait. */
import { join } from 'node:path';
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

interface Course {
  readonly lines: readonly string[];
  readonly executions: Readonly<Record<string, number>>;
  readonly sessions: number;
  /** How the attempts after the first began. */
  readonly how: readonly string[];
}

export async function killedAroundLimit(place: string): Promise<Course> {
  const folder = temporaryFolder();
  prepare(folder);
  await killAt(place, (env) => drive(folder, env));
  const { lines } = await drive(folder).ended();
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  const starts = startsOf(await eventsOf(await piton.find('run')));
  return {
    lines,
    executions: executionsOf(folder),
    sessions: new Set(starts.map(({ agent }) => agent!.session)).size,
    how: starts.slice(1).map(({ agent }) => agent!.how),
  };
}
