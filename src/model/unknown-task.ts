import { nearest, PitonError, shellWord } from '../base/index.ts';

const mostListed = 20;

/** Of a run, whose tasks are `known`. */
export function unknownTask(run: string, task: string, known: readonly string[]): PitonError {
  const close = nearest(task, known);
  const list =
    known.length <= mostListed ? `There are ${known.join(', ')}.` : `See piton status ${shellWord(run)}.`;
  return new PitonError('TASK_UNKNOWN', `Run ${run} has no task ${task}.`, {
    run,
    task,
    remedy: close === undefined ? list : `Did you mean ${close}?`,
  });
}
