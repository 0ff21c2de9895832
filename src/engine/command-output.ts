import { asError, PitonError, toJson, type Json } from '../base/index.ts';
import type { Capture, Failure, Outcome, TaskSpec } from '../model/index.ts';
import type { Exit, HarvestingAttempts } from '../spool/index.ts';
import { checkOutput, failureOf, type OutputLimits } from './call-function.ts';
import { redactJson, type Redact } from './redact.ts';
import { isSystemTrouble } from './system-trouble.ts';

/** Of what a command prints, so much is kept as the task's output; all of it is in the spool. */
const longestTextBytes = 64 * 1024;
const longestReasonBytes = 2_000;

export interface Finished {
  readonly attempt: string;
  readonly spec: TaskSpec;
  readonly exit: Exit;
  readonly redact: Redact;
  readonly capture: Capture;
}

/** What the end of a command means. Exit 0 is not success yet: its output has to be what was promised. */
export async function outcomeOfExit(
  spool: HarvestingAttempts,
  finished: Finished,
  limits: OutputLimits,
): Promise<Outcome> {
  const { attempt, spec, exit, redact, capture } = finished;
  try {
    if (exit.timedOut || exit.code !== 0) {
      return { type: 'failed', failure: failureOfExit(exit, await lastWords(spool, attempt, redact)) };
    }
    const printed = await outputOf(spool, attempt, { capture, limits, redact });
    return { type: 'succeeded', output: await checkOutput(printed, spec, limits) };
  } catch (thrown) {
    if (isSystemTrouble(thrown)) throw thrown;
    return { type: 'failed', failure: failureOf(thrown) };
  }
}

export function failureOfExit({ code, timedOut }: Exit, words: string): Failure {
  const said = words === '' ? '' : `: ${words}`;
  if (timedOut)
    return { code: 'TIMEOUT', message: `it did not end in time${said}`, retryable: true, exit: code };
  const how = code > 128 && code < 160 ? `ended by signal ${code - 128}` : `exit code ${code}`;
  return { code: 'COMMAND_FAILED', message: `${how}${said}`, retryable: true, exit: code };
}

/** The end of what it complained, or else of what it said: the reason is mostly there. */
export async function lastWords(spool: HarvestingAttempts, attempt: string, redact: Redact): Promise<string> {
  for (const stream of ['stderr', 'stdout'] as const) {
    const end = { maxBytes: longestReasonBytes, from: 'end' } as const;
    const { text, isCut } = await spool.readOutput(attempt, stream, end);
    const lines = redact(text, isCut)
      .split('\n')
      .filter((line) => line.trim() !== '');
    if (lines.length > 0) return lines.slice(-3).join('\n').trim();
  }
  return '';
}

interface Reading {
  readonly capture: Capture;
  readonly limits: OutputLimits;
  readonly redact: Redact;
}

async function outputOf(spool: HarvestingAttempts, attempt: string, reading: Reading): Promise<Json> {
  const { capture, limits, redact } = reading;
  const result = await spool.readResult(attempt, { maxBytes: limits.maxOutputBytes });
  if (result !== undefined) return parse(result, '$PITON_OUTPUT', reading);
  if (capture === 'none') return null;
  const maxBytes = capture === 'json' ? limits.maxOutputBytes : longestTextBytes;
  const printed = await spool.readOutput(attempt, 'stdout', { maxBytes, from: 'end' });
  if (capture === 'json') return parse(printed, 'the standard output', reading);
  const text = redact(printed.text, printed.isCut).replace(/\r?\n$/, '');
  if (capture === 'last-line') return lastLineOf(text);
  return printed.isCut ? `[the end of ${printed.bytes} bytes, which are in the spool]\n${text}` : text;
}

function lastLineOf(text: string): string {
  return (
    text
      .split('\n')
      .findLast((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}

function parse(
  { text, bytes, isCut }: { readonly text: string; readonly bytes: number; readonly isCut: boolean },
  what: string,
  { limits: { maxOutputBytes }, redact }: Reading,
): Json {
  if (isCut) {
    throw new PitonError(
      'OUTPUT_TOO_LARGE',
      `${what} is ${bytes} bytes long, more than the ${maxOutputBytes} allowed.`,
      {
        remedy: 'Keep big data in a file and give back its name.',
      },
    );
  }
  try {
    return redactJson(toJson(JSON.parse(text.replace(/^\uFEFF/, '')), 'output'), redact);
  } catch (cause) {
    const fault = faultOf(redact(text)) ?? redact(asError(cause).message);
    throw new PitonError('OUTPUT_INVALID', `${what} is not JSON: ${fault}.`);
  }
}

/** The fault is told with a piece of the text, which must not be a piece of a secret. */
function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (cause) {
    return asError(cause).message;
  }
}
