import { plural, shellWord } from '../../../base/index.ts';
import type { ResumePreview } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { cleanLine, type Style } from '../output/index.ts';
import { printDrift } from './print-drift.ts';

const words: Readonly<
  Record<ResumePreview['tasks'][number]['action'], { text: string; colour: keyof Style }>
> = {
  adopt: { text: 'adopt', colour: 'green' },
  harvest: { text: 'harvest', colour: 'green' },
  restart: { text: 'start again', colour: 'yellow' },
  start: { text: 'start', colour: 'blue' },
  hold: { text: 'wait for you', colour: 'magenta' },
  wait: { text: 'wait', colour: 'dim' },
};

/** Nobody drives it when this is shown. */
const standing: Readonly<Record<ResumePreview['status'], string>> = {
  running: 'was interrupted',
  delayed: 'was interrupted',
  stalled: 'was interrupted',
  held: 'waits for a person',
  paused: 'is paused',
  succeeded: 'has succeeded',
  failed: 'has failed',
  cancelled: 'was cancelled',
};

/** So many that only wait for others are worth a line each. */
const mostWaiting = 20;
const mostChanges = 20;

/** What going on will do for each task that has not settled, and why. For people: not in JSON mode. */
export function printPreview(context: Context, preview: ResumePreview, redo: readonly string[] = []): void {
  const { output } = context;
  if (output.isJson) return;
  output.print(`Run ${preview.run} ${standing[preview.status]}. Going on with it:`);
  if (redo.length > 0)
    output.print(`  to run again, with what depends on them: ${redo.map(cleanLine).join(', ')}`);
  const tasks = preview.tasks.filter(({ task }) => !redo.includes(task));
  const waiting = tasks.filter(({ action }) => action === 'wait');
  const shown = tasks.filter((task) => task.action !== 'wait' || waiting.indexOf(task) < mostWaiting);
  output.table(
    shown.map(({ task, action, reason }) => [
      `  ${cleanLine(task)}`,
      { text: words[action].text, paint: output.style[words[action].colour] },
      cleanLine(reason),
    ]),
  );
  if (waiting.length > mostWaiting)
    output.print(`  … and ${plural(waiting.length - mostWaiting, 'task')} more that wait`);
  if (preview.tasks.length === 0 && redo.length === 0) output.print('  every task has settled');
  if (preview.drift.length === 0) return;
  output.print('The file differs from the definition that the run keeps:');
  printDrift(context, preview.drift.slice(0, mostChanges), redo);
  if (preview.drift.length > mostChanges)
    output.print(`  … and ${preview.drift.length - mostChanges} more: piton drift ${shellWord(preview.run)}`);
}
