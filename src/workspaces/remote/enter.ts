import { programFile } from '../../base/index.ts';
import type { PlacedOrder, WorkRequest } from '../contract.ts';
import { aside, descriptionFile, type Description } from './description.ts';
import type { RemotePlace } from './layout.ts';
import { lineTo, type Resolved } from './ports.ts';

const relay = programFile('workspaces/remote/relay-main');

/** What tells of this machine alone: no program elsewhere could do anything with it, and some would be led astray. */
const ofThisMachine = new Set([
  'PWD',
  'OLDPWD',
  'SHLVL',
  '_',
  'UID',
  'EUID',
  'PPID',
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
]);

/** What the relay and ssh need to be as they are here. */
const neededHere = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'NODE_OPTIONS',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
];

/** The order for a relay that starts the program there, and stands for it here. */
export function enterRemote<Order extends PlacedOrder>(
  options: Resolved,
  request: WorkRequest & { readonly known: RemotePlace },
  order: Order,
): Order {
  const variables = variablesFor(options, request.known, order);
  const files = {
    ...order.files,
    [descriptionFile]: JSON.stringify(describe(options, request, { order, variables })),
  };
  return {
    ...order,
    argv: [process.execPath, relay],
    directory: request.folder,
    env: environmentOf(options, order, variables),
    files,
  };
}

interface Entering {
  readonly order: PlacedOrder;
  readonly variables: readonly string[];
}

function describe(
  options: Resolved,
  { known, attempt, kind = 'work' }: WorkRequest & { readonly known: RemotePlace },
  { order, variables }: Entering,
): Description {
  const { machine, patienceMs } = lineTo(options, known.remote);
  const { argv, directory, timeoutMs } = order;
  const files = [...Object.keys(order.files ?? {}), ...(order.input === undefined ? [] : ['input'])];
  return {
    machine,
    place: known,
    attempt: order.attempt === '' ? attempt : order.attempt,
    kind,
    argv,
    directory,
    variables,
    files,
    ...(timeoutMs !== undefined && { timeoutMs }),
    graceMs: Math.floor(options.graceMs * graceThere),
    patienceMs,
    keys: options.keys,
  };
}

const graceThere = 0.6;

/**
 * Only what the task itself is given: what is the same as in Piton's own environment belongs to this machine, unless it is a secret
 * of the task, or named in the configuration of the machine. Whoever lends a machine an account says so.
 */
function variablesFor(
  { environment, machines }: Resolved,
  { remote }: RemotePlace,
  order: PlacedOrder,
): string[] {
  const lent = (machines[remote]?.env ?? []).filter((name) => environment[name] !== undefined);
  const named = new Set([...lent, ...secretsOf(order)]);
  const isGiven = (name: string): boolean => named.has(name) || order.env[name] !== environment[name];
  return [...new Set([...Object.keys(order.env), ...lent])].filter(
    (name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !ofThisMachine.has(name) && isGiven(name),
  );
}

/** The orders of attempts name them. */
function secretsOf(order: PlacedOrder & { readonly secrets?: readonly string[] }): readonly string[] {
  return order.secrets ?? [];
}

/** The relay is Piton itself: ssh may need whatever is there, such as an agent that holds the keys. */
function definedOf(environment: Resolved['environment']): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

function environmentOf(
  { environment }: Resolved,
  order: PlacedOrder,
  variables: readonly string[],
): Readonly<Record<string, string>> {
  const env: Record<string, string> = { ...definedOf(environment), ...order.env };
  for (const name of neededHere) {
    if (variables.includes(name)) env[aside(name)] = env[name]!;
    const own = environment[name];
    if (own === undefined) delete env[name];
    else env[name] = own;
  }
  return env;
}
