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

/** The last lines of both streams, where the reason mostly is. */
export async function lastWords(spool: HarvestingAttempts, attempt: string, redact: Redact): Promise<string> {
  const ends = await outputEnds(spool, attempt, { redact, maxBytes: longestReasonBytes });
  return ends.map(({ text }) => lastLinesOf(text).join('\n').trim()).join('\n');
}

const mostReasonLines = 3;

function lastLinesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-mostReasonLines);
}

export interface OutputEnd {
  readonly text: string;
  /** There is more before it. */
  readonly isCut: boolean;
}

/**
 * How each stream ends, leaving out those that say nothing. The one that was written to last comes last. Nobody knows when each line
 * was written, since the command writes to the files itself, but the files know when they last changed, also after a crash. If that was
 * at the same moment, standard output comes first.
 */
export async function outputEnds(
  spool: HarvestingAttempts,
  attempt: string,
  { redact, maxBytes }: { readonly redact: Redact; readonly maxBytes: number },
): Promise<OutputEnd[]> {
  const stdout = await spool.readOutput(attempt, 'stdout', { maxBytes, from: 'end' });
  const stderr = await spool.readOutput(attempt, 'stderr', { maxBytes, from: 'end' });
  const byTime = stderr.writtenAt < stdout.writtenAt ? [stderr, stdout] : [stdout, stderr];
  return byTime
    .map(({ text, isCut }) => ({ text: redact(text, isCut), isCut }))
    .filter(({ text }) => text.trim() !== '');
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
