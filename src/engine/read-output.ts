import type { Spool } from '../spool/index.ts';
import type { Environment } from './command-order.ts';
import { redactor } from './redact.ts';

export interface OutputPart {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

export interface OutputOptions {
  /** Goes on until the command has ended. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** What a command has printed, whole lines at a time: a secret may come in two pieces. */
export async function* readOutput(
  { spool, environment }: { readonly spool: Spool; readonly environment: Environment },
  attempt: string,
  { follow = false, signal = new AbortController().signal }: OutputOptions,
): AsyncGenerator<OutputPart> {
  const secrets = spool.describe(attempt)?.secrets ?? [];
  const redact = redactor(secrets.flatMap((name) => environment[name] ?? []));
  const isOver = (): boolean => !follow || hasEnded(spool, attempt);
  const pending = { stdout: '', stderr: '' };
  for await (const { stream, text } of spool.follow(attempt, { signal, isOver })) {
    const all = pending[stream] + text;
    const end = all.lastIndexOf('\n') + 1;
    pending[stream] = all.slice(end);
    if (end > 0) yield { stream, text: redact(all.slice(0, end)) };
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    if (pending[stream] !== '') yield { stream, text: redact(pending[stream]) };
  }
}

function hasEnded(spool: Spool, attempt: string): boolean {
  const { type } = spool.look(attempt);
  return type !== 'alive' && type !== 'unclaimed';
}
