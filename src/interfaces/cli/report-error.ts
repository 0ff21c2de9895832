import { asError, PitonError, messageOf } from '../../base/index.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './exit-codes.ts';
import { cleanText, type Output } from './output/index.ts';

/** Says what went wrong and what to do about it, on standard error; gives the exit code. */
export function reportError(output: Output, thrown: unknown): ExitCode {
  const error = asError(thrown);
  if (output.isJson) output.complain(JSON.stringify({ error: errorJson(error) }));
  else for (const line of errorLines(error, output.errorStyle)) output.complain(line);
  return error instanceof PitonError ? exitCodeOf(error.code) : exitCodes.failed;
}

/** The stable shape of an error under `--json`. */
export function errorJson(error: Error): Record<string, unknown> {
  if (!(error instanceof PitonError)) return { code: 'UNEXPECTED', message: error.message, details: {} };
  const { code, remedy, details } = error;
  return { code, message: messageOf(error), ...(remedy !== undefined && { remedy }), details };
}

function errorLines(error: Error, style: Output['errorStyle']): string[] {
  const head = `${style.red('error:')} ${below(messageOf(error))}`;
  if (!(error instanceof PitonError)) return [head, ...unexpectedLines(error)];
  const { code, remedy } = error;
  return [
    head,
    ...(remedy === undefined ? [] : [`  ${style.bold('→')} ${below(remedy)}`]),
    style.dim(`  (${code})`),
  ];
}

/** A name in it may have ends of lines: none of what follows them begins where lines of ours do. */
function below(text: string): string {
  return cleanText(text).replaceAll('\n', '\n  ');
}

/** Nobody expected it, so where it came from is all there is to say. */
function unexpectedLines(error: Error): string[] {
  const stack = cleanText(error.stack ?? '')
    .split('\n')
    .slice(1);
  return [
    ...stack,
    '  This is a defect of Piton, or of a workflow written in TypeScript. Nothing settled is lost.',
  ];
}
