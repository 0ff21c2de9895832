import type { OutputStream, Spool } from '../spool/index.ts';
import { startsOf, type OutputStart } from './output-starts.ts';
import type { Environment } from './task-environment.ts';
import { readerOf } from './hiding.ts';
import type { Redact } from './redact.ts';

/** A part of what a command has printed. */
export interface OutputPart {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  /** So many bytes of the stream are told by now: give it as `after` to go on from here. */
  readonly end: number;
}

/** Which part of the output of a command `piton.output` reads. */
export interface OutputOptions {
  /** Leaves out so many bytes at the beginning of a stream, as `end` has told them; what is told begins with a whole line. */
  readonly after?: Readonly<Partial<Record<OutputPart['stream'], number>>>;
  /** Only so many last lines of each stream, and with `follow` what comes after them. */
  readonly tail?: number;
  /** Goes on until the command has ended. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

interface Ports {
  readonly spool: Spool;
  readonly environment: Environment;
  readonly secrets: readonly string[];
}

interface Pending {
  text: string;
  /** Up to where it is told. */
  end: number;
  /** It begins in the middle of a line. */
  isCut: boolean;
}

/** What a command has printed, whole lines at a time: a secret may come in two pieces. */
export async function* readOutput(
  ports: Ports,
  attempt: string,
  { follow = false, signal = new AbortController().signal, ...options }: OutputOptions,
): AsyncGenerator<OutputPart> {
  const { spool } = ports;
  const reader = await readerOf(ports, attempt);
  if ('missing' in reader) return yield refusal(ports, attempt, reader.missing);
  const isOver = async (): Promise<boolean> => !follow || (await hasEnded(spool, attempt));
  const starts = await startsOf(spool, attempt, options);
  const pending: Record<OutputStream, Pending> = {
    stdout: begin(starts.stdout),
    stderr: begin(starts.stderr),
  };
  const from = { stdout: starts.stdout.position, stderr: starts.stderr.position };
  let last = from;
  for await (const { stream, text, lines, end } of spool.follow(attempt, { from, signal, isOver })) {
    last = { ...last, [stream]: end };
    const { end: told, isCut, ...before } = pending[stream];
    const { ready, rest } = split(before.text + text, reader, isCut);
    // Of a line that is too long to be waited for, it is not known how far it is told: then it is told again.
    pending[stream] = { text: rest, end: Math.max(told, lines), isCut: isCut && ready === '' };
    if (ready !== '') yield { stream, text: ready, end: pending[stream].end };
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const { text, isCut } = pending[stream];
    if (text !== '') yield { stream, text: reader.redact(text, isCut), end: last[stream] };
  }
}

function begin({ position, isCut }: OutputStart): Pending {
  return { text: '', end: position, isCut };
}

/** A line without end is not waited for. */
const longestWait = 64 * 1024;

/** What can be shown, and what is to be looked at together with what follows. */
function split(
  text: string,
  { redact, longest }: { readonly redact: Redact; readonly longest: number },
  isCut: boolean,
): { readonly ready: string; readonly rest: string } {
  const lines = text.lastIndexOf('\n') + 1;
  if (text.length - lines < longestWait)
    return { ready: redact(text.slice(0, lines), isCut), rest: text.slice(lines) };
  const shown = redact(text, isCut);
  // A secret that has only begun is not longer than this.
  const end = Math.max(0, shown.length - longest + 1);
  return { ready: shown.slice(0, end), rest: shown.slice(end) };
}

/** The line that a command has printed last, for people to look at. */
export async function readLastLine(ports: Ports, attempt: string): Promise<string | undefined> {
  const line = await ports.spool.lastLine(attempt);
  if (line === undefined) return undefined;
  const reader = await readerOf(ports, attempt);
  return 'missing' in reader ? undefined : reader.redact(line.text, line.isCut);
}

/** What is not known cannot be hidden. What it printed lies in files that only this user can read. */
function refusal({ spool }: Ports, attempt: string, missing: string): OutputPart {
  const folder = spool.folderOf(attempt);
  const text = `[not shown, because secrets in it could not be hidden: ${missing}. All that it printed, secrets included: less ${folder}/stdout]\n`;
  return { stream: 'stderr', text, end: 0 };
}

async function hasEnded(spool: Spool, attempt: string): Promise<boolean> {
  const { type } = await spool.look(attempt);
  return type !== 'alive' && type !== 'unclaimed';
}
