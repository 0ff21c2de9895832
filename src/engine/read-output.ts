import type { Spool } from '../spool/index.ts';
import type { Environment } from './task-environment.ts';
import { readerOf } from './hiding.ts';
import type { Redact } from './redact.ts';

export interface OutputPart {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

export interface OutputOptions {
  /** Goes on until the command has ended. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

interface Ports {
  readonly spool: Spool;
  readonly environment: Environment;
  readonly secrets: readonly string[];
}

/** What a command has printed, whole lines at a time: a secret may come in two pieces. */
export async function* readOutput(
  ports: Ports,
  attempt: string,
  { follow = false, signal = new AbortController().signal }: OutputOptions,
): AsyncGenerator<OutputPart> {
  const { spool } = ports;
  const reader = await readerOf(ports, attempt);
  if ('missing' in reader) return yield refusal(ports, attempt, reader.missing);
  const { redact } = reader;
  const isOver = async (): Promise<boolean> => !follow || (await hasEnded(spool, attempt));
  const pending = { stdout: '', stderr: '' };
  for await (const { stream, text } of spool.follow(attempt, { signal, isOver })) {
    const { ready, rest } = split(pending[stream] + text, reader);
    pending[stream] = rest;
    if (ready !== '') yield { stream, text: ready };
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    if (pending[stream] !== '') yield { stream, text: redact(pending[stream]) };
  }
}

/** A line without end is not waited for. */
const longestWait = 64 * 1024;

/** What can be shown, and what is to be looked at together with what follows. */
function split(
  text: string,
  { redact, longest }: { readonly redact: Redact; readonly longest: number },
): { readonly ready: string; readonly rest: string } {
  const lines = text.lastIndexOf('\n') + 1;
  if (text.length - lines < longestWait)
    return { ready: redact(text.slice(0, lines)), rest: text.slice(lines) };
  const shown = redact(text);
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
  return { stream: 'stderr', text };
}

async function hasEnded(spool: Spool, attempt: string): Promise<boolean> {
  const { type } = await spool.look(attempt);
  return type !== 'alive' && type !== 'unclaimed';
}
