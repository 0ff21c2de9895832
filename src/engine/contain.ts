import { join } from 'node:path';
import { PitonError } from '../base/index.ts';
import { kindOf, type RunState, type TaskState } from '../kernel/index.ts';
import { containmentOf, type Outcome } from '../model/index.ts';
import type { Sandbox, SandboxRequest } from '../sandbox/index.ts';
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
  const { ports, task, placed } = given;
  const { mode, hasNetwork } = containmentOf(task.spec, kindOf(task));
  if (mode === 'off') return order;
  const found = await ports.sandbox.availability();
  const obstacle =
    placed.place?.kind === 'remote'
      ? { why: 'it works on another machine', remedy: 'Say `sandbox: off`, or let it work here.' }
      : found.by === 'none'
        ? found
        : undefined;
  if (obstacle !== undefined) {
    if (mode === 'required') throw unavailable(task, obstacle);
    return { ...order, sandbox: { by: `none: ${obstacle.why}`, hasNetwork: true, words: [] } };
  }
  const words = await ports.sandbox.wordsFor(requestOf(order, given, hasNetwork));
  return { ...order, sandbox: { by: `${found.by}${hasNetwork ? '' : ', no network'}`, hasNetwork, words } };
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
    ...gitOf(given),
    ...agentOf(task),
  };
}

function gitOf({ state, placed: { place } }: Given): Pick<SandboxRequest, 'commonDir' | 'branch'> {
  const { repository } = state.origin ?? {};
  if (repository === undefined || place?.kind !== undefined) return {};
  const { commonDir } = repository;
  return place?.branch === undefined ? { commonDir } : { commonDir, branch: place.branch };
}

/** None of a check: that runs what an agent wrote, and needs nothing of what is the agent's. */
function agentOf({ life }: TaskState): Pick<SandboxRequest, 'agent'> {
  const name = life.status === 'running' ? life.attempt?.agent?.name : undefined;
  return name === undefined ? {} : { agent: name };
}

function unavailable(
  { address }: TaskState,
  { why, remedy }: { readonly why: string; readonly remedy: string },
): PitonError {
  const message = `${address} is to run in a sandbox, and there is none: ${why}.`;
  return new PitonError('SANDBOX_UNAVAILABLE', message, { task: address, remedy });
}

const refusedWrite = /read-only file system|EROFS|permission denied|EACCES|operation not permitted|EPERM/i;
const noNetwork =
  /could not resolve|name resolution|EAI_AGAIN|ENOTFOUND|ENETUNREACH|network is unreachable|ECONNREFUSED/i;

/** A failure that looks like the doing of the sandbox says so, and what opens it. */
export function explainContained(outcome: Outcome, order: WrittenOrder | undefined): Outcome {
  const { sandbox } = order ?? {};
  if (outcome.type !== 'failed' || sandbox === undefined || sandbox.words.length === 0) return outcome;
  const { failure } = outcome;
  const text = `${failure.message}\n${outcome.report ?? ''}`;
  const hint =
    !sandbox.hasNetwork && noNetwork.test(text)
      ? 'It has no network, by `network: off`.'
      : refusedWrite.test(text)
        ? 'It ran in a sandbox, which may be why: `sandbox: off` opens it, `writes` a single settings file.'
        : undefined;
  if (hint === undefined) return outcome;
  return { ...outcome, failure: { ...failure, message: `${failure.message}\n${hint}` } };
}
