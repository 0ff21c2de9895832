import { join } from 'node:path';
import { PitonError } from '../base/index.ts';
import { kindOf, type RunState, type TaskState } from '../kernel/index.ts';
import { containmentOf, traitsOf, type Outcome } from '../model/index.ts';
import { agentAmong, type Sandbox, type SandboxRequest } from '../sandbox/index.ts';
import type { Spool, SpoolOrder, WrittenOrder } from '../spool/index.ts';
import type { Placed } from './placing.ts';

interface Given {
  readonly ports: { readonly sandbox: Sandbox; readonly spool: Spool };
  readonly state: RunState;
  readonly task: TaskState;
  readonly placed: Placed;
}

/** The order of a process that is contained, if it is to be and can be. Throws `SANDBOX_UNAVAILABLE`. */
export async function contain(order: SpoolOrder, given: Given): Promise<SpoolOrder> {
  const { ports, task } = given;
  const { mode, hasNetwork } = containmentOf(task.spec, kindOf(task));
  if (mode === 'off') return order;
  const found = await ports.sandbox.availability();
  const obstacle: Obstacle | undefined = obstacleOf(given) ?? (found.by === 'none' ? found : undefined);
  if (obstacle !== undefined) {
    if (mode === 'required') throw unavailable(task, obstacle, hasNetwork);
    const by = obstacle.instead ?? `none: ${obstacle.why}`;
    return { ...order, sandbox: { by, hasNetwork: true, words: [] } };
  }
  const words = await ports.sandbox.wordsFor(requestOf(order, given, hasNetwork));
  return { ...order, sandbox: { by: `${found.by}${hasNetwork ? '' : ', no network'}`, hasNetwork, words } };
}

interface Obstacle {
  readonly why: string;
  readonly remedy: string;
  /** What contains it all the same. */
  readonly instead?: string;
}

function obstacleOf({ task, placed }: Given): Obstacle | undefined {
  if (placed.place?.kind === 'remote') {
    return { why: 'it works on another machine', remedy: 'Say `sandbox: off`, or let it work here.' };
  }
  const { agent } = agentOf(task);
  if (agent === undefined || traitsOf(agent)?.containsItself !== true || mayDoAnything(task))
    return undefined;
  return {
    why: `${agent} brings its own, which cannot be made inside of another`,
    remedy: 'Say `permissions: full`: then it has none of its own.',
    instead: `that of ${agent}`,
  };
}

/** By the policy, or in the words of Codex. */
function mayDoAnything({ spec: { work } }: TaskState): boolean {
  if (work.type !== 'agent') return false;
  const { permissions } = work;
  return permissions === 'full' || (Array.isArray(permissions) && permissions.includes('danger-full-access'));
}

/** For the journal: by what, or why not though it should be. */
export function containedBy({ sandbox }: SpoolOrder): { readonly sandbox?: string } {
  return sandbox === undefined ? {} : { sandbox: sandbox.by };
}

function requestOf(order: SpoolOrder, given: Given, hasNetwork: boolean): SandboxRequest {
  const { ports, task, placed } = given;
  const { setup, writes = [] } = task.spec;
  return {
    place: placed.place?.path ?? placed.folder,
    directory: order.directory,
    attempt: ports.spool.folderOf(order.attempt),
    program: order.argv[0]!,
    env: order.env,
    caches: (setup?.caches ?? []).map((path) => join(placed.folder, path)),
    writes,
    hasNetwork,
    mayWrite: mayWrite(task),
    ...gitOf(given),
    ...programOf(order, task),
  };
}

function gitOf({ state, placed: { place } }: Given): Pick<SandboxRequest, 'commonDir' | 'branch'> {
  const { repository } = state.origin ?? {};
  if (repository === undefined || place?.kind !== undefined) return {};
  const { commonDir } = repository;
  return place?.branch === undefined ? { commonDir } : { commonDir, branch: place.branch };
}

/** An agent that may only read cannot write, whatever it tries. Its check is a command as any other. */
function mayWrite(task: TaskState): boolean {
  const { work } = task.spec;
  return agentOf(task).agent === undefined || work.type !== 'agent' || work.permissions !== 'read';
}

/** None of a check: that runs what an agent wrote, and needs nothing of what is the agent's. */
function agentOf({ life }: TaskState): Pick<SandboxRequest, 'agent'> {
  const name = life.status === 'running' ? life.attempt?.agent?.name : undefined;
  return name === undefined ? {} : { agent: name };
}

/** Whose folders it needs: over ACP, those of the program that speaks it. Its words are those of the task. */
function programOf({ argv }: SpoolOrder, task: TaskState): Pick<SandboxRequest, 'agent'> {
  const own = agentOf(task);
  const agent = own.agent === 'acp' ? agentAmong(argv.slice(3)) : undefined;
  return agent === undefined ? own : { agent };
}

function unavailable({ address }: TaskState, { why, remedy }: Obstacle, hasNetwork: boolean): PitonError {
  const message = `${address} is to run in a sandbox, and there is none: ${why}.`;
  const also = hasNetwork ? '' : ' Without a sandbox, `network: off` has to go too.';
  return new PitonError('SANDBOX_UNAVAILABLE', message, { task: address, remedy: `${remedy}${also}` });
}

/** What a failure looks like that may be the doing of the sandbox, and what opens it. The first that fits counts. */
const signs: readonly { readonly sign: RegExp; readonly hint: string; readonly isOfNetwork?: boolean }[] = [
  {
    sign: /^bwrap: /m,
    hint: 'the sandbox itself could not be made: `piton doctor` tells more, `sandbox: off` does without',
  },
  {
    sign: /could not resolve|name resolution|EAI_AGAIN|ENOTFOUND|ENETUNREACH|network is unreachable|ECONNREFUSED|(failed|could not|couldn't|unable) to connect|couldn't connect|connection refused/i,
    hint: 'it has no network, which may be why: `network: on` opens it',
    isOfNetwork: true,
  },
  {
    sign: /read-only file system|EROFS|permission denied|EACCES|operation not permitted|EPERM/i,
    hint: 'it ran in a sandbox, which may be why: `sandbox: off` runs it without; `writes` opens a single settings file of its place',
  },
];

export function explainContained(outcome: Outcome, order: WrittenOrder | undefined): Outcome {
  const { sandbox } = order ?? {};
  if (outcome.type !== 'failed' || sandbox === undefined || sandbox.words.length === 0) return outcome;
  const { failure, report = '' } = outcome;
  const text = `${failure.message}\n${report}`;
  const fits = signs.filter(({ isOfNetwork = false }) => !isOfNetwork || !sandbox.hasNetwork);
  const hint = fits.find(({ sign }) => sign.test(text))?.hint;
  if (hint === undefined) return outcome;
  return { ...outcome, failure: { ...failure, message: `${failure.message}\n[${hint}]` } };
}
