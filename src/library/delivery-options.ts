import type { WorkflowDraft } from '../definition/index.ts';

/** `pr`: the branch of the run is pushed, and a pull request opened, unless there is one. */
export type Delivery = 'pr' | DeliveryOptions;

export interface DeliveryOptions {
  readonly pr: PullRequestOptions;
  /** A person is asked this before. May hold expressions. */
  readonly approval?: string;
  /** An expression; default `success()`: no task has failed or was skipped. */
  readonly if?: string;
}

/**
 * `branch`, `title` and `body` may hold expressions, which see all tasks: `${{ tasks.plan.output }}`. Title and body also see
 * what Piton would write: `delivery.title`, `delivery.summary` and `delivery.evidence`.
 */
export interface PullRequestOptions {
  /** The branch it is to be merged into; default: that which the remote repository takes for its main one. */
  readonly base?: string;
  /** The name of the branch that is pushed; default `piton/<run>`. */
  readonly branch?: string;
  /** It is not to be merged yet; default false. */
  readonly draft?: boolean;
  readonly title?: string;
  readonly body?: string;
}

export function deliveryDraft(delivery: Delivery | undefined): WorkflowDraft['deliver'] {
  return delivery === 'pr' ? { pr: {} } : delivery;
}
