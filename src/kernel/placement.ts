import { isProgram, type TaskSpec, type Workflow, type WorkspaceSpec } from '../model/index.ts';
import { scopeAt, taskAt, type RunState, type TaskState } from './run-state.ts';
import { allNeeds } from './workflow-index.ts';

/** Where the attempts of a task work. `integrates`: what they leave is brought to what the others have left. */
export type Placement =
  | { readonly mode: 'shared' }
  | (Exclude<WorkspaceSpec, { readonly mode: 'shared' }> & { readonly integrates: boolean });

const shared: Placement = { mode: 'shared' };

/** A task, and the workflow it is a task of. */
export interface Standing {
  readonly spec: TaskSpec;
  readonly workflow: Workflow;
}

/** Without a git repository all work in the folder of the run, unless they are to have one of their own. */
export function placementOf(state: RunState, task: TaskState): Placement {
  if (!isProgram(task.spec.work)) return shared;
  const place = placementIn([...standingOf(state, task)], state.origin?.workspace);
  const isThere = place.mode === 'directory' || state.origin?.repository !== undefined;
  return isThere ? place : shared;
}

/** Who would tread on the feet of others: in a folder that is nobody's, and agents write there. */
export function writesAlone(state: RunState, task: TaskState): boolean {
  const { origin, workflow } = state;
  const isOutside = origin !== undefined && origin.repository === undefined;
  if (!isOutside || !hasWritingAgent(workflow)) return false;
  const standing = [...standingOf(state, task)];
  const isStated = origin.workspace !== undefined || statedMode(standing) !== undefined;
  return isProgram(task.spec.work) && writes(task.spec) && !isStated;
}

/** From the task itself outwards. */
function* standingOf(state: RunState, task: TaskState): Generator<Standing> {
  for (let member = task; ; member = taskAt(state, member.scope)) {
    yield { spec: member.spec, workflow: scopeAt(state, member.scope).workflow };
    if (member.scope === '') return;
  }
}

/**
 * Where a task works in a git repository, by what it and all that it is a part of are, from the inside outwards: what the
 * task, or the workflow, says, or else is configured. By itself, with agents that write: a worktree for whoever writes, and for whoever is to see
 * what was written; for all others the folder of the run, as anyone would expect.
 */
export function placementIn(standing: readonly Standing[], configured?: WorkspaceSpec): Placement {
  const { spec } = standing[0]!;
  if (!isProgram(spec.work)) return shared;
  const stated = statedMode(standing) ?? configured ?? { mode: defaultMode(standing) };
  if (stated.mode === 'shared') return shared;
  return { ...stated, integrates: stated.mode !== 'directory' && writes(spec) };
}

function statedMode(standing: readonly Standing[]): WorkspaceSpec | undefined {
  return standing[0]!.spec.workspace ?? workflowMode(standing);
}

function defaultMode(standing: readonly Standing[]): 'worktree' | 'shared' {
  if (!hasWritingAgent(standing.at(-1)!.workflow)) return 'shared';
  return writes(standing[0]!.spec) || standing.some(needsWork) ? 'worktree' : 'shared';
}

/** The innermost that says something. */
function workflowMode(standing: readonly Standing[]): WorkspaceSpec | undefined {
  return standing.find(({ workflow }) => workflow.workspace !== undefined)?.workflow.workspace;
}

function writes({ work }: TaskSpec): boolean {
  return work.type === 'command' || (work.type === 'agent' && work.permissions !== 'read');
}

/** Whether any task of it could work in a worktree. */
export function mayNeedWorktrees(workflow: Workflow): boolean {
  return hasWritingAgent(workflow) || mentionsGit(workflow);
}

/** It says itself that it needs a git repository. */
export function mentionsGit({ workspace, tasks }: Workflow): boolean {
  return (
    needsGit(workspace) ||
    tasks.some(
      (spec) =>
        needsGit(spec.workspace) ||
        spec.work.type === 'deliver' ||
        (spec.work.type === 'workflow' && mentionsGit(spec.work.workflow)),
    )
  );
}

function needsGit(workspace: WorkspaceSpec | undefined): boolean {
  return workspace?.mode === 'worktree' || workspace?.mode === 'remote';
}

const withWritingAgent = new WeakMap<Workflow, boolean>();

function hasWritingAgent(workflow: Workflow): boolean {
  const known = withWritingAgent.get(workflow);
  if (known !== undefined) return known;
  const found = workflow.tasks.some(({ work }) =>
    work.type === 'workflow'
      ? hasWritingAgent(work.workflow)
      : work.type === 'agent' && work.permissions !== 'read',
  );
  withWritingAgent.set(workflow, found);
  return found;
}

/** Something that it needs, directly or not, writes. */
function needsWork({ spec, workflow }: Standing): boolean {
  // In a graph anything may have come before.
  if (workflow.form === 'graph') return true;
  for (const need of allNeeds(workflow, spec))
    if (writes(need) || (need.work.type === 'workflow' && hasWritingAgent(need.work.workflow))) return true;
  return false;
}
