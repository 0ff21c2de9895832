import type { Json } from '../base/index.ts';
import type { EventOf } from '../model/index.ts';
import type { AttemptState } from './life.ts';

/**
 * How far the work of a task has come: what its next attempt is for, or what the one under way does. Whether it waits, runs, is
 * delayed or held, or has settled, is its `life`; a task that has settled keeps the stage in which it did.
 *
 * Setup is no stage: it belongs to the place. Whatever the stage, a place that is not set up is set up first.
 */
export type Stage =
  | { readonly name: 'work' }
  | { readonly name: 'check'; readonly finished: Finished; readonly conflict?: Conflict }
  /** The agent is told what is wrong: with its work, or with the work beside that of others. */
  | { readonly name: 'revise'; readonly report: string; readonly conflict?: Conflict }
  | {
      readonly name: 'integrate';
      readonly finished: Finished;
      readonly conflict?: Conflict;
      /** What was merged has passed its check, and may land as it is. */
      readonly verified?: Proposal;
    }
  | { readonly name: 'verify'; readonly finished: Finished; readonly proposal: Proposal };

export interface Finished {
  readonly output?: Json;
  /** The attempt that did it. */
  readonly by?: string;
}

/** A merge conflict with the work of others that is laid out in the place of the task, until its work is merged. */
export interface Conflict {
  readonly files: readonly string[];
  /** What its agent is told. */
  readonly report: string;
  /** What the task had finished when the conflict was found. */
  readonly finished: Finished;
  /** Its agent has revised the work since. Whether that has resolved it, the next merge tells. */
  readonly isRevised?: true;
}

/** What a task made, merged with what others made, but not yet theirs. */
export type Proposal = EventOf<'merge.proposed'>['data'];

export const workStage: Stage = { name: 'work' };

const kinds = {
  work: undefined,
  check: 'check',
  revise: 'revision',
  integrate: 'integrate',
  verify: 'verify',
} as const satisfies Record<Stage['name'], AttemptState['kind']>;

/** Of the attempts of a stage. */
export function kindOfStage({ name }: Stage): AttemptState['kind'] {
  return kinds[name];
}

/** What the work has given, while it is still to be checked or brought to that of others. */
export function finishedOf(stage: Stage): Finished | undefined {
  return 'finished' in stage ? stage.finished : undefined;
}

export function proposalOf(stage: Stage): Proposal | undefined {
  if (stage.name === 'verify') return stage.proposal;
  return stage.name === 'integrate' ? stage.verified : undefined;
}

/** What the agent is told to revise. */
export function reportOf(stage: Stage): string | undefined {
  return stage.name === 'revise' ? stage.report : undefined;
}

export function conflictOf(stage: Stage): Conflict | undefined {
  return 'conflict' in stage ? stage.conflict : undefined;
}

/** Its work conflicts with that of others, and nobody has revised it since. */
export function isConflicting(stage: Stage): boolean {
  const conflict = conflictOf(stage);
  return conflict !== undefined && conflict.isRevised !== true;
}

/** A conflict that its agent has worked on, to be carried on to the next stage. */
export function revisedConflict(stage: Stage): { readonly conflict?: Conflict } {
  const conflict = conflictOf(stage);
  return conflict === undefined ? {} : { conflict: { ...conflict, isRevised: true } };
}

/** The agent is told of a conflict. */
export function conflictStage({ isRevised: _, ...conflict }: Conflict): Stage {
  return { name: 'revise', report: conflict.report, conflict };
}

/** Back to bringing it in, if it was there. */
export function withoutProposal(stage: Stage): Stage {
  return proposalOf(stage) === undefined ? stage : { name: 'integrate', finished: finishedOf(stage)! };
}

/** What is finished is looked at, and perhaps changed, once more by whoever did it. */
export function withoutFinished(stage: Stage): Stage {
  if (finishedOf(stage) === undefined) return stage;
  const conflict = conflictOf(stage);
  return conflict === undefined ? workStage : conflictStage(conflict);
}
