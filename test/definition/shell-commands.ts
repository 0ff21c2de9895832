import type { CommandWork } from '../../src/model/index.ts';
import { task, workflow } from './support.ts';

/** What becomes of the text of a command. */
export function command(run: string, shell = 'sh'): CommandWork {
  return workflow([task('a', { work: { type: 'command', run, shell } })]).tasks[0]!.work as CommandWork;
}
