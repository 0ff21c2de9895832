import type { TaskSpec, Workflow, WorkspaceSpec } from '../../model/index.ts';

/** A workflow as a drawing shows it. */
export interface WorkflowGraph {
  readonly workflow: string;
  /** `tasks`: each after those that it needs. `graph`: from node to node, along edges that may lead back. */
  readonly form: 'tasks' | 'graph';
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export function graphOf(workflow: Workflow): WorkflowGraph {
  const { name, form } = workflow;
  return { workflow: name, form, nodes: nodesOf(workflow), edges: edgesOf(workflow) };
}

/** A task as a drawing shows it. */
export interface GraphNode {
  readonly name: string;
  /** The tasks that come before it. */
  readonly needs: readonly string[];
  /** 0 for those that need nothing. */
  readonly level: number;
  /** What is special about it, in a few words. */
  readonly marks: readonly string[];
  /** Of a nested workflow. */
  readonly inner?: readonly GraphNode[];
}

/** What follows what. */
export interface GraphEdge {
  /** A task, or `start`. */
  readonly from: string;
  /** A task, or `end`. */
  readonly to: string;
  /** Under this condition only. */
  readonly if?: string;
}

/** Each task one level below the lowest of its needs. */
function nodesOf({ tasks, workspace }: Workflow): GraphNode[] {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const levels = new Map<string, number>();
  const levelOf = (name: string): number => {
    const known = levels.get(name);
    if (known !== undefined) return known;
    const needs = byName.get(name)?.needs ?? [];
    const level = needs.reduce((most, need) => Math.max(most, levelOf(need) + 1), 0);
    levels.set(name, level);
    return level;
  };
  return tasks.map((task) => ({
    name: task.name,
    needs: task.needs,
    level: levelOf(task.name),
    marks: marksOf(task, workspace),
    ...(task.work.type === 'workflow' && { inner: nodesOf(task.work.workflow) }),
  }));
}

function edgesOf({ form, tasks, graph }: Workflow): GraphEdge[] {
  if (form === 'tasks') return tasks.flatMap(({ name, needs }) => needs.map((from) => ({ from, to: name })));
  return [{ from: 'start', to: graph!.start }, ...tasks.flatMap(edgesFrom)];
}

function edgesFrom({ name, next }: TaskSpec): GraphEdge[] {
  return (next ?? []).map(({ to, if: condition }) => ({
    from: name,
    to,
    ...(condition !== undefined && { if: conditionText(condition) }),
  }));
}

function marksOf(spec: TaskSpec, around: WorkspaceSpec | undefined): string[] {
  const { forEach, if: condition, approval, work, retry } = spec;
  return [
    ...(forEach === undefined ? [] : [forEach.matrix ? 'for each of a matrix' : 'for each']),
    ...(condition === undefined ? [] : [`if ${conditionText(condition)}`]),
    ...(approval === undefined ? [] : ['approval']),
    ...(work.type === 'workflow' ? ['workflow'] : []),
    ...(work.type === 'deliver' ? ['pull request'] : []),
    ...(work.type === 'ask' ? ['question'] : []),
    ...placeMarks(spec, around),
    ...(retry.attempts > 1 ? [`${retry.attempts} attempts`] : []),
  ];
}

/** Where it works, if that is said and not one of the usual places. */
function placeMarks({ work, workspace, pool }: TaskSpec, around: WorkspaceSpec | undefined): string[] {
  if (work.type !== 'command' && work.type !== 'agent') return [];
  const stated = workspace ?? around;
  return [
    ...(stated?.mode === 'directory'
      ? [stated.copyOf === undefined ? 'own folder' : `copy of ${stated.copyOf}`]
      : []),
    ...(stated?.mode === 'remote' ? [`on ${stated.remote}`] : []),
    ...(pool === undefined ? [] : [`pool of ${pool}`]),
  ];
}

function conditionText(condition: NonNullable<TaskSpec['if']>): string {
  return typeof condition === 'string' ? condition : `${condition.$function}()`;
}
