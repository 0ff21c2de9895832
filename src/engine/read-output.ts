import type { Spool } from '../spool/index.ts';
import type { Environment } from './command-order.ts';
import { longestLine, redactor, type Redact } from './redact.ts';

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
  const { redact, longest, unknown } = redactorFor(ports, attempt);
  if (unknown.length > 0) return yield refusal(ports, attempt, unknown);
  const isOver = (): boolean => !follow || hasEnded(spool, attempt);
  const pending = { stdout: '', stderr: '' };
  for await (const { stream, text } of spool.follow(attempt, { signal, isOver })) {
    const { ready, rest } = split(pending[stream] + text, { redact, longest });
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
export function readLastLine(ports: Ports, attempt: string): string | undefined {
  const line = ports.spool.lastLine(attempt);
  if (line === undefined) return undefined;
  const { redact, unknown } = redactorFor(ports, attempt);
  return unknown.length > 0 ? undefined : redact(line);
}

function redactorFor(
  { spool, environment, secrets: ofProject }: Ports,
  attempt: string,
): { readonly redact: Redact; readonly longest: number; readonly unknown: readonly string[] } {
  const { secrets: names = [], hidden = [] } = spool.describe(attempt) ?? {};
  const secrets = [...new Set([...names, ...hidden, ...ofProject])].flatMap(
    (name) => environment[name] ?? [],
  );
  return {
    redact: redactor(secrets),
    longest: longestLine(secrets),
    unknown: names.filter((name) => environment[name] === undefined),
  };
}

/** What is not known cannot be hidden. */
function refusal({ spool }: Ports, attempt: string, unknown: readonly string[]): OutputPart {
  const folder = spool.folderOf(attempt);
  const text = `[not shown: ${unknown.join(', ')} is secret, and not in this environment; what was printed is in ${folder}]\n`;
  return { stream: 'stderr', text };
}

function hasEnded(spool: Spool, attempt: string): boolean {
  const { type } = spool.look(attempt);
  return type !== 'alive' && type !== 'unclaimed';
}
