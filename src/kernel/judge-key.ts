import type { Workflow } from '../model/index.ts';
import type { ChangedField } from './changed-fields.ts';
import type { MigrationPath } from './migrations.ts';

/**
 * What a change means for a run. `harmless`: nothing, whatever is decided. `settled`: the task has ended, and its result stays; it
 * would matter only if it were re-run. `applies`: it counts for what has not begun. `under-way`: the task has begun; see `effect`.
 * `structural`: the run cannot go on with it.
 */
export type DriftVerdict = 'harmless' | 'settled' | 'applies' | 'under-way' | 'structural';

/** One field of the definition that is not as it was when the run was started. */
export interface Drift extends ChangedField {
  /** By name, inside of others `outer.inner`; absent: of the workflow itself. */
  readonly task?: string;
  readonly change: 'changed' | 'added' | 'removed';
  readonly verdict: DriftVerdict;
  /** What becomes of it if the new definition is accepted. */
  readonly effect: string;
}

export function changedForm(before: Workflow, after: Workflow): Drift {
  return {
    field: 'form',
    before: before.form,
    after: after.form,
    change: 'changed',
    verdict: 'structural',
    effect: 'a run cannot change between tasks and a graph',
  };
}

/** What a key of a workflow is judged by. */
interface KeySurroundings {
  /** What keeps the run from going on with it; under '', that of its inputs. */
  readonly obstacles: ReadonlyMap<string, string>;
  /** Of a child workflow. */
  readonly prefix: string;
  /** Why what is inside goes on as it was begun, if so. */
  readonly pinned?: string | undefined;
  readonly path: MigrationPath | undefined;
}

type Judgement = Pick<Drift, 'verdict' | 'effect'>;

/** Of the workflow itself: they count from now on, but for what was decided when it began. */
export function judgeKey(changed: ChangedField, around: KeySurroundings): Drift {
  const { obstacles, prefix, pinned } = around;
  const reason = prefix === '' && changed.field === 'inputs' ? obstacles.get('') : undefined;
  const judgement =
    judgeVersion(changed, around) ??
    harmlessKeys[changed.field] ??
    (pinned !== undefined ? { verdict: 'under-way' as const, effect: pinned } : undefined) ??
    (reason !== undefined ? { verdict: 'structural' as const, effect: reason } : undefined) ??
    laterKey(changed, prefix);
  return { ...changed, change: 'changed', ...judgement };
}

const harmlessKeys: Readonly<Record<string, Judgement>> = {
  version: { verdict: 'harmless', effect: 'it is only a name' },
  name: { verdict: 'harmless', effect: 'it is only a name' },
  migrations: { verdict: 'harmless', effect: 'they are for runs of older versions' },
  base: { verdict: 'harmless', effect: 'the run has begun already' },
  start: { verdict: 'harmless', effect: 'the run has begun already' },
};

function judgeVersion({ field }: ChangedField, { path, pinned }: KeySurroundings): Judgement | undefined {
  if (field !== 'version' || path === undefined) return undefined;
  if (pinned !== undefined) return { verdict: 'under-way', effect: pinned };
  if ('reason' in path) return { verdict: 'structural', effect: path.reason };
  return { verdict: 'applies', effect: `its data is migrated from version ${path.from} to ${path.to}` };
}

function laterKey({ field }: ChangedField, prefix: string): Judgement {
  const isInput = prefix === '' && field === 'inputs';
  const effect = isInput ? 'the run keeps its inputs; those that are new have their default' : 'from now on';
  return { verdict: 'applies', effect };
}
