import { PitonError } from '../../base/index.ts';
import type { Git } from '../git/index.ts';
import type { PullRequest, PullRequestOrder } from '../delivery-contract.ts';
import { bodyOf, fitBody, titleOf } from '../account-text.ts';
import { commandService } from './command-service.ts';
import { ghService } from './gh.ts';
import { pushBranch } from './push-branch.ts';
import { chooseRemote, lookAtRemote } from './remote.ts';
import type { FoundReview, ReviewRequest, ReviewService } from './review-service.ts';
import { tipOfRun } from './run-tip.ts';

/** How pull requests are opened here: configured once. */
export interface DeliverySettings {
  /** Absent: that of the base, else `origin`. */
  readonly remote?: string;
  /** Instead of `gh`. */
  readonly command?: string;
}

export interface Delivering {
  readonly git: Git;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: DeliverySettings;
}

/** Pushes the branch of a run and sees to it that there is a pull request of it. Done again, it finds what is there. */
export async function openPullRequest(delivering: Delivering, order: PullRequestOrder): Promise<PullRequest> {
  const { git, settings } = delivering;
  const { repository } = order;
  const { ref, name, tip } = await tipOfRun(git, order);
  const branch = await branchName(git, order.branch ?? name);
  const remote = await chooseRemote(git, repository, { remote: settings.remote, base: order.base });
  const { main, tip: remoteTip } = await lookAtRemote(git, repository, { remote, branch });
  const base = order.base ?? main;
  if (base === undefined) throw noBase(remote);
  refuseMain(branch, [base, main]);
  const pushed = await pushBranch(git, { repository, ref, tip, remote, branch, remoteTip });
  const review = await reviewOf(delivering, order, { branch, base, remote, commit: tip });
  return { ...review, remote, branch, commit: tip, pushed };
}

type Pushed = Pick<ReviewRequest, 'branch' | 'base' | 'remote' | 'commit'>;

/** That the branch was pushed is worth knowing, whatever becomes of the rest. */
async function reviewOf(
  delivering: Delivering,
  order: PullRequestOrder,
  pushed: Pushed,
): Promise<FoundReview & { readonly existed: boolean }> {
  const request: ReviewRequest = {
    ...pushed,
    isBaseChosen: order.base !== undefined,
    title: order.title ?? titleOf(order.account),
    body: fitBody(order.body ?? bodyOf(order.account)),
    isDraft: order.isDraft,
  };
  try {
    return await findOrOpen(serviceOf(delivering, order), request);
  } catch (error) {
    throw afterPush(pushed, error);
  }
}

function serviceOf({ environment, settings }: Delivering, { repository }: PullRequestOrder): ReviewService {
  const setting = { folder: repository.root, environment };
  return settings.command === undefined ? ghService(setting) : commandService(settings.command, setting);
}

async function findOrOpen(
  service: ReviewService,
  request: ReviewRequest,
): Promise<FoundReview & { readonly existed: boolean }> {
  const found = await service.find(request);
  if (found !== undefined) return { ...found, existed: true };
  const url = await service.open(request).catch(async (error: unknown) => {
    // Another one, or a gh that outlived whoever started it, may have been faster.
    const other = await service.find(request).catch(() => undefined);
    if (other === undefined) throw error;
    return other;
  });
  if (typeof url !== 'string') return { ...url, existed: true };
  if (/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(url)) return { url, base: request.base, existed: false };
  throw new PitonError(
    'PULL_REQUEST_FAILED',
    `The address of the pull request was not told, but: "${url}".`,
    {
      remedy: 'Its address must be the last line that is printed.',
    },
  );
}

function afterPush({ branch, remote, commit }: Pushed, error: unknown): unknown {
  if (!(error instanceof PitonError) || error.code !== 'PULL_REQUEST_FAILED') return error;
  const { remedy = 'Mend that.' } = error;
  const what = error.message.replace(` ${remedy}`, '');
  const message = `${branch} is pushed to ${remote}, but no pull request was opened: ${what}`;
  return new PitonError('PULL_REQUEST_FAILED', message, {
    ...error.details,
    branch,
    remote,
    commit,
    cause: error,
    remedy: `${remedy} Then do it again: what is pushed is not pushed twice.`,
  });
}

async function branchName(git: Git, branch: string): Promise<string> {
  const checked = await git.run(['check-ref-format', '--branch', branch], { cwd: '/', okCodes: [0, 1, 128] });
  if (checked.code === 0 && !branch.startsWith('@{')) return branch;
  throw new PitonError('PUSH_REFUSED', `"${branch}" cannot be the name of a branch.`, {
    branch,
    remedy: 'Choose another name.',
  });
}

/** The run began there, so git would see nothing wrong in moving it forward: everything would be merged at once. */
function refuseMain(branch: string, mains: readonly (string | undefined)[]): void {
  if (!mains.includes(branch)) return;
  throw new PitonError('PUSH_REFUSED', `${branch} is what is to be merged into: nothing is pushed there.`, {
    branch,
    remedy: 'Choose another name for the branch that is pushed.',
  });
}

function noBase(remote: string): PitonError {
  return new PitonError('PUSH_REFUSED', `${remote} does not say which branch is its main one.`, {
    remote,
    remedy: 'Say into which branch it is to be merged (base).',
  });
}
