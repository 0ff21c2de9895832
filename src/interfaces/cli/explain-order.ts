import { PitonError, shellWord } from '../../base/index.ts';
import type { Piton } from '../../library/index.ts';
import type { Context } from './context.ts';
import { ofAllPlaces } from './workspace/options.ts';

/**
 * Where no run is found, perhaps because a task stands in its place: says which line was meant. The run comes first
 * everywhere.
 */
export async function explainOrder(
  context: Context,
  args: readonly string[],
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof PitonError) || error.code !== 'RUN_NOT_FOUND') return error;
  const place = args.indexOf(String(error.details['run']));
  if (place < 0) return error;
  const task = args[place]!;
  const found = await runWith(await context.openExisting(), task, args[place + 1]).catch(() => undefined);
  if (found === undefined || !(await takesTask(context, args))) return error;
  const meant = found.isNamed
    ? swapped(context.argv, task, args[place + 1]!)
    : inserted(context.argv, task, found.run);
  return new PitonError(
    'RUN_NOT_FOUND',
    `There is no run ${task}, but ${found.run} has a task of that name.`,
    {
      run: task,
      remedy: `The run comes first: piton ${meant.map(shellWord).join(' ')}`,
    },
  );
}

/** The run that the next word names, else the latest, if it has the task. */
async function runWith(
  piton: Piton,
  task: string,
  next: string | undefined,
): Promise<{ readonly run: string; readonly isNamed: boolean } | undefined> {
  const named = next === undefined ? undefined : await piton.findRecord(next).catch(() => undefined);
  const { run } = named ?? (await piton.findRecord(undefined));
  const { tasks } = await (await piton.find(run)).checkpoint();
  return Object.hasOwn(tasks, task) ? { run, isNamed: named !== undefined } : undefined;
}

async function takesTask({ argv, commands }: Context, args: readonly string[]): Promise<boolean> {
  const command = (await commands()).commands.find((candidate) => argv.includes(candidate.name()));
  const names = command?.registeredArguments.map((argument) => argument.name()) ?? [];
  const isOfAll = command?.name() === 'workspace' && ofAllPlaces.has(args[0] ?? '');
  return !isOfAll && names.some((name) => name === 'task' || name === 'tasks');
}

function swapped(argv: readonly string[], task: string, run: string): string[] {
  const place = argv.findIndex((word, index) => word === task && argv[index + 1] === run);
  return place < 0 ? [...argv] : argv.toSpliced(place, 2, run, task);
}

function inserted(argv: readonly string[], task: string, run: string): string[] {
  return argv.toSpliced(argv.indexOf(task), 0, run);
}
