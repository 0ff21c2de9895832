import { shellWord } from '../../base/index.ts';
import { actionsFor, isAnswer, type RunView, type ShownStatus, type TaskView } from '../../library/index.ts';
import { commandFor } from './command-for.ts';

const verbs: Readonly<Partial<Record<ShownStatus, string>>> = {
  interrupted: 'resume',
  paused: 'resume',
  behind: 'verify',
  running: 'attach',
  delayed: 'attach',
};

/** What a person can best do now about a run: one command to type. */
export function nextStep(view: RunView): string | undefined {
  const { run, status, tasks, hasWork, delivered } = view;
  const id = shellWord(run);
  const verb = verbs[status];
  if (verb !== undefined) return `piton ${verb} ${id}`;
  switch (status) {
    case 'stalled':
      return 'piton doctor';
    case 'held':
      return heldStep(view);
    case 'failed':
      return view.undelivered === true ? `piton pr ${id}` : failedStep(run, tasks);
    default:
      // It has made something, and nobody has taken it yet.
      return status === 'succeeded' && hasWork === true && delivered === undefined
        ? `piton diff ${id}`
        : undefined;
  }
}

/** The same as lines to print. Reading what a held task has printed decides nothing: the inbox says what can be done then. */
export function nextLines(view: RunView, otherwise: string): [string, ...string[]] {
  const first = nextStep(view) ?? otherwise;
  return view.status === 'held' && first.startsWith('piton logs ') ? [first, 'piton inbox'] : [first];
}

/** What was decided already needs only somebody who goes on with the run. */
function heldStep({ run, tasks, queued = [] }: RunView): string {
  if (queued.some(isAnswer)) return `piton resume ${shellWord(run)}`;
  return heldCommands(run, tasks)[0] ?? 'piton inbox';
}

function failedStep(run: string, tasks: RunView['tasks']): string {
  const failed = Object.keys(tasks).filter((address) => tasks[address]!.status === 'failed');
  // What consists of others has failed because one of these has.
  const innermost = failed.find(
    (address) => !failed.some((other) => other !== address && other.startsWith(address)),
  );
  if (innermost === undefined) return `piton history ${shellWord(run)}`;
  return commandFor('show', run, innermost);
}

function heldCommands(run: string, tasks: RunView['tasks']): string[] {
  return Object.entries(tasks).flatMap(([address, task]) => commandsFor(run, address, task));
}

/** What may be typed about a held task, the likeliest first. */
export function commandsFor(
  run: string,
  address: string,
  { status, actions = [], lent }: TaskView,
): string[] {
  if (status !== 'held') return [];
  // When the session is back, whoever drives the run sees that, and nothing else has to be decided.
  return actionsFor({ actions, ...(lent !== undefined && { lent }) }).map((action) =>
    commandFor(action, run, address),
  );
}
