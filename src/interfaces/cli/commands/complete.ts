import { knownAgents } from '../../../model/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';

const mostRuns = 50;

/** Files of a repository can have any name: what could mean something to a shell, or be an option, is not offered. */
const plainName = /^\w[\w.-]*$/;

/** Names of one kind, a line each. A shell asks while somebody types: whatever goes wrong is not worth a word. */
export const command = defineCommand({
  configure: (command) =>
    command.argument('<kind>', 'run, task, agent or workflow').argument('[run]', 'of the tasks'),
  examples: [['piton __complete run', 'the latest runs']],
  async run(context, { args }) {
    const [kind = '', run] = args;
    const names = await namesOf(context, kind, run).catch(() => []);
    for (const name of names.filter((name) => plainName.test(name))) context.output.print(name);
    return exitCodes.done;
  },
});

async function namesOf(context: Context, kind: string, run: string | undefined): Promise<string[]> {
  if (kind === 'workflow') return context.project.workflows().map(({ name }) => name);
  if (kind === 'agent') return [...knownAgents()];
  const piton = await context.openExisting();
  if (kind === 'run') return (await piton.runIds()).slice(0, mostRuns);
  if (kind !== 'task' && kind !== 'tasks') return [];
  const record = await piton.findRecord(run === '' ? undefined : run);
  return Object.keys((await (await piton.find(record.run)).checkpoint()).tasks);
}
