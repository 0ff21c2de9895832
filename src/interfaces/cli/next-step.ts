import { shellWord } from '../../base/index.ts';
import type { Checkpoint, TaskReport } from '../../library/index.ts';
import type { ShownStatus } from './output/index.ts';
import { actionsOf, commandFor } from './progress/shell-words.ts';

const verbs: Readonly<Partial<Record<ShownStatus, string>>> = {
  interrupted: 'resume',
  paused: 'resume',
  behind: 'verify',
  running: 'attach',
  delayed: 'attach',
};

/** What a person can best do now about a run: one command to type. */
export function nextStep(
  checkpoint: Pick<Checkpoint, 'run' | 'tasks' | 'delivered'>,
  status: ShownStatus,
): string | undefined {
  const { run, tasks } = checkpoint;
  const id = shellWord(run);
  const verb = verbs[status];
  if (verb !== undefined) return `piton ${verb} ${id}`;
  switch (status) {
    case 'stalled':
      return 'piton doctor';
    case 'held':
      return heldCommands(run, tasks)[0] ?? 'piton inbox';
    case 'failed':
      return failedStep(run, tasks);
    default:
      return isToBeTaken(checkpoint, status) ? `piton diff ${id}` : undefined;
  }
}

/** It has made something, and nobody has taken it yet. */
function isToBeTaken(
  { tasks, delivered }: Pick<Checkpoint, 'tasks' | 'delivered'>,
  status: ShownStatus,
): boolean {
  if (status !== 'succeeded' || delivered !== undefined) return false;
  return Object.values(tasks).some(
    ({ workspace }) => workspace?.integrated !== undefined && workspace.integrated.commit !== workspace.base,
  );
}

function failedStep(run: string, tasks: Checkpoint['tasks']): string {
  const failed = Object.keys(tasks).filter((address) => tasks[address]!.status === 'failed');
  // What consists of others has failed because one of these has.
  const innermost = failed.find(
    (address) => !failed.some((other) => other !== address && other.startsWith(address)),
  );
  if (innermost === undefined) return `piton history ${shellWord(run)}`;
  return commandFor('show', run, innermost);
}

function heldCommands(run: string, tasks: Checkpoint['tasks']): string[] {
  return Object.entries(tasks).flatMap(([address, task]) => commandsFor(run, address, task));
}

/** What may be typed about a held task, the likeliest first. */
export function commandsFor(
  run: string,
  address: string,
  { status, actions = [], lent }: TaskReport,
): string[] {
  if (status !== 'held') return [];
  // When the session is back, whoever drives the run sees that, and nothing else has to be decided.
  return actionsOf({ actions, lent }).map((action) => commandFor(action, run, address));
}
