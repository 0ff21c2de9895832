import type { RunStatus, TaskStatus } from '../../../model/index.ts';
import type { Cell } from './table.ts';
import type { Style } from './style.ts';

/** What people are shown: `interrupted` while a run should go on and no driver lives; `behind` if its journal has lost its end. */
export type ShownStatus = RunStatus | TaskStatus | 'interrupted' | 'behind';

const looks: Readonly<Record<ShownStatus, { readonly symbol: string; readonly colour: keyof Style }>> = {
  pending: { symbol: '·', colour: 'dim' },
  queued: { symbol: '○', colour: 'dim' },
  running: { symbol: '▶', colour: 'blue' },
  delayed: { symbol: '◔', colour: 'yellow' },
  held: { symbol: '?', colour: 'magenta' },
  paused: { symbol: '‖', colour: 'yellow' },
  stalled: { symbol: '!', colour: 'red' },
  succeeded: { symbol: '✓', colour: 'green' },
  failed: { symbol: '✗', colour: 'red' },
  skipped: { symbol: '-', colour: 'dim' },
  cancelled: { symbol: '⊘', colour: 'dim' },
  interrupted: { symbol: '!', colour: 'yellow' },
  behind: { symbol: '!', colour: 'red' },
};

export function statusSymbol(status: ShownStatus): string {
  return looks[status].symbol;
}

/** Symbol and word, in the colour of the status. */
export function statusCell(status: ShownStatus, style: Style): Cell {
  const { symbol, colour } = looks[status];
  return { text: `${symbol} ${status}`, paint: style[colour] };
}
