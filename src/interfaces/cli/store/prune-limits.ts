import { nearest, parseDuration, parseSize, PitonError } from '../../../base/index.ts';
import type { EndStatus, Piton, PruneOptions } from '../../../library/index.ts';
import type { StoreOptions } from './options.ts';

/** What is asked for on the command line; undefined: no limit at all. Throws `USAGE_INVALID`. */
export function limitsGiven(options: StoreOptions, now: number): PruneOptions | undefined {
  const { olderThan, keep, maxSize, payloads = false, workflow, status } = options;
  const isLimited = [olderThan, keep, maxSize].some((limit) => limit !== undefined);
  if (!isLimited && (payloads || workflow !== undefined || status !== undefined)) throw noLimit(payloads);
  if (!isLimited) return undefined;
  return {
    ...(payloads ? payloadLimit(options, now) : runLimits(options, now)),
    ...(workflow !== undefined && { workflow }),
    ...(status !== undefined && { status: statusesIn(status) }),
  };
}

function runLimits({ olderThan, keep, maxSize }: StoreOptions, now: number): PruneOptions {
  return {
    ...(olderThan !== undefined && { before: now - timeIn(olderThan) }),
    ...(keep !== undefined && { keep: countIn(keep) }),
    ...(maxSize !== undefined && { maxBytes: bytesIn(maxSize) }),
  };
}

/** Journals stay, so that neither their number nor the size of the store has a say. */
function payloadLimit({ olderThan, keep, maxSize }: StoreOptions, now: number): PruneOptions {
  if (olderThan !== undefined && keep === undefined && maxSize === undefined)
    return { payloadsBefore: now - timeIn(olderThan) };
  throw usage(
    '--payloads goes with --older-than alone.',
    'Write piton store prune --older-than 7d --payloads. --max-size drops payloads first by itself.',
  );
}

function timeIn(given: string): number {
  const ms = parseDuration(given);
  if (ms !== undefined) return ms;
  throw usage(`--older-than is ${given}, which is no time span.`, 'Write it like 30d, 12h or 90m.');
}

function countIn(given: string): number {
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw usage(`--keep is ${given}, which is no number of runs.`, 'Write a whole number, such as 20.');
}

function bytesIn(given: string): number {
  const bytes = parseSize(given);
  if (bytes !== undefined) return bytes;
  throw usage(`--max-size is ${given}, which is no size.`, 'Write it like 500MB or 2GB.');
}

const endings: readonly EndStatus[] = ['succeeded', 'failed', 'cancelled'];

function statusesIn(given: string): EndStatus[] {
  return given.split(',').map((word) => {
    const found = endings.find((status) => status === word.trim());
    if (found !== undefined) return found;
    const close = nearest(word.trim(), endings);
    const remedy = `${close === undefined ? '' : `Did you mean ${close}? `}Only runs that have ended can go: ${endings.join(', ')}.`;
    throw usage(`--status is ${word.trim()}, and no run has ended so.`, remedy);
  });
}

/** Left as it is, a slip would look as if there were nothing to remove. Throws `USAGE_INVALID`. */
export async function assertWorkflow(piton: Piton, { workflow }: StoreOptions): Promise<void> {
  if (workflow === undefined) return;
  const runs = await piton.runs({ onDamaged: () => undefined });
  const known = [...new Set(runs.map((line) => line.workflow))].sort();
  if (known.includes(workflow)) return;
  const close = nearest(workflow, known);
  const remedy =
    close === undefined ? `There are runs of ${known.join(', ') || 'none'}.` : `Did you mean ${close}?`;
  throw usage(`There is no run of a workflow ${workflow}.`, remedy);
}

export function noLimit(isOfPayloads = false): PitonError {
  return usage(
    'Nothing says which runs are to go.',
    isOfPayloads
      ? 'Write piton store prune --older-than 7d --payloads.'
      : 'Give --older-than, --keep or --max-size, or write retention: into .piton/config.yaml. Look first: piton store prune --older-than 30d --dry-run',
  );
}

function usage(message: string, remedy: string): PitonError {
  return new PitonError('USAGE_INVALID', message, { remedy });
}
