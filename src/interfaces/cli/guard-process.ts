import { divertStdout, type Output } from './output/index.ts';
import { reportError } from './report-error.ts';

/** What a workflow in TypeScript could do to the process in which it is called. */
export function guardProcess(output: Output): void {
  process.once('uncaughtException', (thrown) => leaveAtOnce(output, thrown));
  if (output.isJson) divertStdout((line) => output.note(line));
}

/** Somewhere in a workflow's own code nobody waited for it: no state can be trusted, except what is stored. */
function leaveAtOnce(output: Output, thrown: unknown): never {
  const code = reportError(output, thrown);
  output.note('A run that was driven here is interrupted: piton resume goes on with it.');
  process.exit(code);
}
