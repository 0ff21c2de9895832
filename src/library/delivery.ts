import { hasCode, PitonError } from '../base/index.ts';
import { createEvaluator } from '../definition/index.ts';
import { accountOf, pullRequestOrder, senderHere, type Engine, type EnginePorts } from '../engine/index.ts';
import { isUndelivered, statusOf, type RunState, type TaskState } from '../kernel/index.ts';
import type { Event } from '../model/index.ts';
import type {
  Diff,
  DiffForm,
  DiffSide,
  MergeStrategy,
  PullRequest,
  PullRequestOrder,
  RepositoryOrigin,
  RunMerged,
} from '../workspaces/index.ts';
import { withRepositoryLease } from './repository-lease.ts';
import { taskOf } from './task-of.ts';

/** How `piton.merge` brings the work of a run into the branch that is checked out. */
export interface MergeOptions {
  /** `auto` (default): moves the branch forward if that is possible, else makes a merge commit. */
  readonly strategy?: MergeStrategy;
  /** Only says what would be done. */
  readonly dryRun?: boolean;
  /** Also of a run that has not succeeded: what is there. */
  readonly partial?: boolean;
}

/** What `piton.openPullRequest` writes into the pull request. What is left out is made of the run. */
export interface PullRequestRequest {
  /** The branch it is to be merged into; default: what the remote repository takes for its main one. */
  readonly base?: string;
  /** The name of the branch that is pushed; default `piton/<run>`. */
  readonly branch?: string;
  readonly draft?: boolean;
  readonly title?: string;
  readonly body?: string;
  /** Also of a run that has not succeeded: what is there. */
  readonly partial?: boolean;
}

/** Of what, and in which form, `piton.diff` shows changes. */
export interface DiffOptions {
  /** What that task has made, by its address; default: what the run has. */
  readonly task?: string;
  /** Default `stat`. */
  readonly form?: DiffForm;
  readonly coloured?: boolean;
  /** The width of the text; default 80. */
  readonly columns?: number;
}

export interface Deliverer {
  readonly engine: Engine;
  readonly ports: EnginePorts;
}

type Delivered = Extract<Event, { type: 'run.delivered' }>['data'];

/** Brings what a run has made into the branch that is checked out where it was started. */
export async function mergeRun(
  { engine, ports }: Deliverer,
  run: string,
  options: MergeOptions,
): Promise<RunMerged> {
  const { strategy = 'auto', dryRun: isDryRun = false } = options;
  const merge = async (state: RunState): Promise<RunMerged> => {
    assertComplete(state, options.partial === true);
    const repository = repositoryOf(state);
    const order = { repository, account: accountOf(state, ports), strategy, isDryRun };
    return withRepositoryLease(ports, repository.commonDir, () => ports.delivery.merge(order));
  };
  if (isDryRun) return merge(await engine.load(run));
  return tended({ engine, ports }, run, async (state) => {
    const merged = await merge(state);
    const { branch, commit } = merged;
    return { result: merged, data: { how: 'merge', into: branch, commit: commit! } };
  });
}

/** Pushes the branch of a run, and opens a pull request of it, unless there is one. */
export async function openPullRequest(
  { engine, ports }: Deliverer,
  run: string,
  options: PullRequestRequest,
): Promise<PullRequest> {
  const { partial = false, draft: isDraft, base, branch, title, body } = options;
  const asked = { isDraft, base, branch, title, body };
  return tended({ engine, ports }, run, async (state) => {
    assertComplete(state, partial);
    const given = Object.entries(asked).filter(([, value]) => value !== undefined);
    const order = await orderFor(state, ports);
    const opened = await ports.delivery.openPullRequest({ ...order, ...Object.fromEntries(given) });
    const { base: into, commit, url } = opened;
    return { result: opened, data: { how: 'pull-request', into, commit, url } };
  });
}

/** As the workflow wants it, if it says so: it may be that its own delivery has failed. */
async function orderFor(state: RunState, ports: EnginePorts): Promise<PullRequestOrder> {
  const plain = { repository: repositoryOf(state), account: accountOf(state, ports), isDraft: false };
  const task = [...state.tasks.values()].find(({ spec }) => spec.work.type === 'deliver');
  if (task === undefined) return plain;
  try {
    const evaluator = await createEvaluator(state.workflow, {});
    return pullRequestOrder(state, task, { ...ports, evaluator });
  } catch (error) {
    // That is perhaps why its delivery has failed.
    if (hasCode(error, 'EXPRESSION_FAILED')) return plain;
    throw error;
  }
}

/** What was there already is written down only if the journal does not know of it: its writer may have been killed. */
async function tended<Result>(
  { engine, ports }: Deliverer,
  run: string,
  deliver: (state: RunState) => Promise<{ readonly result: Result; readonly data: Delivered }>,
): Promise<Result> {
  const outcome: { result?: Result } = {};
  await engine.tend(run, async (state) => {
    const { result, data } = await deliver(state);
    outcome.result = result;
    const by = senderHere(ports.environment);
    return isSame(state.delivered, data) ? [] : [{ type: 'run.delivered', data: { ...data, by } }];
  });
  return outcome.result!;
}

function isSame(known: Delivered | undefined, data: Delivered): boolean {
  const keys = ['how', 'into', 'commit', 'url'] as const;
  return known !== undefined && keys.every((key) => known[key] === data[key]);
}

/** What a run, or one of its tasks, has changed. Changes nothing. */
export async function diffOfRun(
  { engine, ports }: Deliverer,
  run: string,
  { task: address, form = 'stat', coloured: isColoured = false, columns = 80 }: DiffOptions,
): Promise<Diff> {
  const state = await engine.load(run);
  const repository = repositoryOf(state);
  const sides =
    address === undefined
      ? { from: repository.base, to: { type: 'run', run } as const }
      : sidesOf(taskOf(state, address), address);
  return ports.delivery.diff({ repository, ...sides, form, isColoured, columns });
}

function sidesOf({ workspace }: TaskState, address: string): { from: string; to: DiffSide } {
  if (workspace?.base === undefined) {
    throw new PitonError(
      'PLACE_MISSING',
      `${address} has no place of its own, so it is not known what it changed.`,
      {
        task: address,
        remedy: 'What the run has changed: piton diff <run>; in the folder of the run: git diff.',
      },
    );
  }
  const { base: from, integrated, snapshot, path, kind } = workspace;
  if (integrated !== undefined) return { from, to: { type: 'commit', commit: integrated.result } };
  const otherwise = snapshot ?? from;
  if (kind === 'remote') return { from, to: { type: 'commit', commit: otherwise } };
  return { from, to: { type: 'place', path, otherwise } };
}

function assertComplete(state: RunState, isPartial: boolean): void {
  const status = statusOf(state);
  if (status === 'succeeded' || isPartial || isUndelivered(state)) return;
  const what = `Run ${state.run} has not succeeded (it is ${status}): what it has made may not be whole.`;
  throw new PitonError('RUN_INCOMPLETE', what, {
    run: state.run,
    status,
    remedy: 'Bring it to its end, or take what is there with --partial.',
  });
}

function repositoryOf({ run, origin }: RunState): RepositoryOrigin {
  const repository = origin?.repository;
  if (repository !== undefined) return repository;
  throw new PitonError(
    'NOTHING_TO_DELIVER',
    `Run ${run} has no branch of its own: none of its tasks worked in a worktree.`,
    {
      run,
      remedy: 'What it changed is in your folder already; in a git repository, `git diff` shows it.',
    },
  );
}
