import type { Waiting } from '../../../library/index.ts';

type Texts = { readonly [Cause in Waiting['for']]?: (waiting: Extract<Waiting, { for: Cause }>) => string };

const room = (what: string, heldBy: readonly string[]): string =>
  `room: as many ${what} as may run at once are at work (${heldBy.join(', ')})`;

/** Where nothing stands, the reason says all. */
const texts: Texts = {
  needs: ({ tasks }) => tasks.join(', '),
  resume: ({ reason }) => `the run to be resumed${reason === undefined ? '' : `: ${reason}`}`,
  parallelism: ({ heldBy }) => room('tasks', heldBy),
  items: ({ heldBy }) => room('items', heldBy),
  pool: ({ heldBy }) => `a place of its pool: all are taken (${heldBy.join(', ')})`,
  lock: ({ name, heldBy }) => `the lock ${name}, held by ${heldBy.join(', ')}`,
  merge: ({ heldBy }) => `its turn to merge, after ${heldBy.join(', ')}`,
  folder: ({ heldBy }) => `the folder, in which ${heldBy.join(', ')} is at work`,
  agents: ({ agents }) => agents.join(', '),
};

/** What a task waits for. */
export function waitingText(waiting: Waiting): string | undefined {
  return (texts[waiting.for] as ((waiting: Waiting) => string) | undefined)?.(waiting);
}
