import type { KeyName, Problem } from '../../definition/index.ts';

/** What a run will lack. */
export type PreflightKind =
  | 'agent'
  | 'login'
  | 'program'
  | 'script'
  | 'repository'
  | 'remote'
  | 'pull-request'
  | 'secret'
  | 'variable'
  | 'file'
  | 'machine'
  | 'sandbox';

/** One thing that a run will lack, or may lack. */
export interface PreflightFinding extends Problem {
  /** `error`: a run would fail by it for certain, so none is started; `warning`: it may do without. */
  readonly level: 'error' | 'warning';
  readonly kind: PreflightKind;
  /** The names of the tasks that lead to the one that needs it: `build/test`. Absent: the workflow as a whole. */
  readonly task?: string;
}

/** What a run will lack, told before it begins. */
export interface Preflight {
  /** Whether it can begin: there is no error among the findings. */
  readonly ok: boolean;
  readonly findings: readonly PreflightFinding[];
}

/** A finding before it is known where in a file it is. */
export interface Lack extends KeyName, Pick<PreflightFinding, 'level' | 'kind' | 'message'> {
  readonly remedy?: string;
}
