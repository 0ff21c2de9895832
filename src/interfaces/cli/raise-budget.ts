import { hostname, userInfo } from 'node:os';
import { PitonError } from '../../base/index.ts';
import type { Context } from './context.ts';
import { decide } from './decide.ts';
import type { DriftOptions } from './drive/drift-options.ts';
import type { ExitCode } from './exit-codes.ts';
import { findTask } from './find-task.ts';

interface Raising {
  readonly args: readonly (string | undefined)[];
  readonly amount: string;
  readonly comment: string | undefined;
  readonly mayDrive: boolean;
  readonly drift: DriftOptions;
}

/** `approve --budget`: the run may use so much more, and goes on. */
export async function raiseBudget(
  context: Context,
  { args, amount, comment, mayDrive, drift }: Raising,
): Promise<ExitCode> {
  const more = readAmount(amount);
  const piton = await context.openExisting();
  const { run } = await piton.findRecord(args[0]);
  const address = args[1]!;
  findTask(await (await piton.find(run)).checkpoint(), address);
  return decide(context, {
    run,
    send: (handle) =>
      handle.raiseBudget(address, more, { by: person(), ...(comment !== undefined && { comment }) }),
    mayDrive,
    drift,
  });
}

const factors: Readonly<Record<string, number>> = { '': 1, k: 1_000, M: 1_000_000 };

/** `+5`, `+$2.50`, `+200k tokens`. Throws `USAGE_INVALID`. */
export function readAmount(text: string): { readonly usd: number } | { readonly tokens: number } {
  const [, sign, number, size = '', tokens] =
    /^\+(\$?)(\d+(?:\.\d+)?)([kM]?)(?:[ -]?(tokens))?$/.exec(text.trim()) ?? [];
  const amount = Number(number) * factors[size]!;
  const isTokens = tokens !== undefined && sign === '' && Number.isSafeInteger(amount);
  const isDollars = tokens === undefined && size === '';
  if (!(amount > 0) || (!isTokens && !isDollars)) {
    throw new PitonError('USAGE_INVALID', `--budget is ${text}, which is no amount to raise a budget by.`, {
      remedy: 'Write dollars as in --budget +5, or tokens as in --budget +200k-tokens.',
    });
  }
  return isTokens ? { tokens: amount } : { usd: amount };
}

/** Whoever is logged in here, for the journal. */
function person(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // A user id without an entry, as in containers.
    return `user ${process.getuid?.() ?? '?'}@${hostname()}`;
  }
}
