import { hasCode, keyIn, readKeyIn, stateFolder } from '../base/index.ts';
import type { CommandWork } from '../model/index.ts';
import type { KeepingAttempts, SpoolOrder } from '../spool/index.ts';
import { hiddenValues } from './command-order.ts';
import { openFingerprints, sealFingerprints } from './fingerprints.ts';
import { longestLine, redactor, type Hiding, type Redact } from './redact.ts';
import type { Environment } from './task-environment.ts';

/** Of the user: with it alone anybody can tell what is to be hidden in what attempts have printed. */
const keyName = 'redaction';

interface Ports {
  readonly spool: KeepingAttempts;
  readonly environment: Environment;
  /** Names of all variables whose values are written down nowhere. */
  readonly secrets: readonly string[];
}

/**
 * The order with the marks of all that must not be shown of what it prints, whoever reads it, and when. Throws `KEY_UNUSABLE`,
 * `FOLDER_UNSAFE`.
 */
export function withFingerprints<Order extends SpoolOrder>(order: Order, environment: Environment): Order {
  const names = new Set([...order.secrets, ...(order.hidden ?? [])]);
  const values = Array.from(names, (name) => [order.env[name], environment[name]]).flat();
  const known = values.filter((value) => value !== undefined);
  return { ...order, fingerprints: sealFingerprints(known, () => keyIn(stateFolder('keys'), keyName)) };
}

/**
 * For what is written down of an attempt: hides what is secret now, and what was so when it began, as a secret may have been
 * changed since. To be made once it has begun.
 */
export async function attemptRedactor(
  ports: Ports,
  attempt: string,
  work: Pick<CommandWork, 'secrets'>,
): Promise<Redact> {
  const values = hiddenValues(work, ports);
  const found = await hidingOf(ports.spool, attempt, values);
  return redactor(values, 'missing' in found ? undefined : found.hiding);
}

export type Readable =
  | { readonly redact: Redact; readonly longest: number }
  /** Why nothing of it can be shown. */
  | { readonly missing: string };

/** For what is shown of an attempt. It does not need the environment; what is secret there is hidden too. */
export async function readerOf({ spool, environment, secrets }: Ports, attempt: string): Promise<Readable> {
  const values = secrets.flatMap((name) => environment[name] ?? []);
  const found = await hidingOf(spool, attempt, values);
  if ('missing' in found) return found;
  const { hiding } = found;
  return { redact: redactor(values, hiding), longest: Math.max(hiding?.longest ?? 1, longestLine(values)) };
}

type Found = { readonly hiding?: Hiding } | { readonly missing: string };

async function hidingOf(spool: KeepingAttempts, attempt: string, known: readonly string[]): Promise<Found> {
  const order = await spool.describe(attempt);
  if (order === undefined) return {};
  const { secrets, hidden = [], fingerprints } = order;
  const names = [...new Set([...secrets, ...hidden])];
  if (fingerprints === '' || names.length === 0) return {};
  if (fingerprints === undefined)
    return { missing: `an older version began it, and did not note what ${names.join(', ')} was` };
  const key = readKey();
  if (key === undefined) return { missing: 'the key by which secrets are known in it is not there any more' };
  const hiding = openFingerprints(fingerprints, { key, known });
  return hiding === undefined
    ? { missing: 'secrets in it were marked with another key than that of this user' }
    : { hiding };
}

/** Whoever may not use the key is as one who does not have it. */
function readKey(): Buffer | undefined {
  try {
    return readKeyIn(stateFolder('keys'), keyName);
  } catch (error) {
    if (hasCode(error, 'KEY_UNUSABLE')) return undefined;
    throw error;
  }
}
