import { canonicalJson, type Json } from '../../base/index.ts';
import type { AskedCall } from '../contract.ts';
import type { Ending, Stage } from './stage.ts';
import { say } from './voice.ts';

/** Ends the play before a call, unless a person has allowed exactly that one. */
export function askFor(call: AskedCall & { readonly reason: string }, { setting }: Stage): Ending {
  const { tool, input, reason } = call;
  if (setting.order.allowed.some((allowed) => keyOf(allowed) === keyOf(call))) return undefined;
  say({ event: 'asked', tool, input, reason });
  say({ event: 'failed', kind: 'asked', message: `A person has to allow ${tool}: ${reason}.` });
  return 1;
}

function keyOf({ tool, input }: AskedCall): Json {
  return canonicalJson([tool, input]);
}
