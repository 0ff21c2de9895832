import { difference } from './difference.ts';
import type { JsonObject } from '../base/index.ts';
import type { Event, EventOf, TaskSpec } from '../model/index.ts';
import { decideReopen } from './decide-reopen.ts';
import { actionsIfMaybeDone, isSettled } from './life.ts';
import { leaveAttempt } from './outcomes.ts';
import { scopeAt, statusOfTask, type RunState, type TaskState } from './run-state.ts';

/** What a person wants of a fork to be otherwise than it was recorded. */
export interface ForkEdits {
  /** By name: those that are left out stay. */
  readonly inputs?: JsonObject;
  /** Of succeeded tasks, by address. */
  readonly outputs?: JsonObject;
  /** Of a graph, by key: those that are left out stay. */
  readonly state?: JsonObject;
}

type Decided = { readonly events: readonly Event[] } | { readonly refusal: string };

/** Why these edits cannot be made, if so. */
export function refuseEdits(state: RunState, { outputs = {}, state: given }: ForkEdits): string | undefined {
  const { graph } = scopeAt(state, '');
  if (given !== undefined && graph === undefined) return 'only a graph has a state that could be changed';
  for (const address of Object.keys(outputs)) {
    const task = state.tasks.get(address);
    if (task === undefined) return `the run has no task ${address} at that checkpoint`;
    if (task.life.status !== 'succeeded') return `${address} is ${statusOfTask(task)}: it has no output`;
    if (task.item !== undefined || task.group !== undefined || state.scopes.has(address))
      return `the output of ${address} comes of other tasks, or is part of another's`;
  }
  return undefined;
}

/**
 * What follows on `run.forked`, which has been folded. An attempt that was started in the last commit had not begun (`unbegun`), since a
 * commit comes before what it causes; any other belongs to the other run.
 */
export function leaveAttempts(state: RunState, run: string, unbegun: ReadonlySet<string>): readonly Event[] {
  return [...state.tasks.values()].flatMap((task) => {
    const isUnbegun = task.life.status === 'running' && unbegun.has(task.life.attempt?.id ?? '');
    return leaveAttempt(state, task, { reason: `it belongs to run ${run}`, neverBegan: isUnbegun });
  });
}

/** What the other run has begun, as only the spool remembers, may have had its effect. */
export function holdSpooled(state: RunState, run: string, spooled: readonly string[]): readonly Event[] {
  return spooled.flatMap((task): Event[] => {
    const life = state.tasks.get(task)?.life;
    if (life === undefined || isSettled(life) || life.status === 'running') return [];
    const reason = `run ${run} had begun it, and may have done it`;
    return [{ type: 'task.held', task, data: { reason, actions: actionsIfMaybeDone } }];
  });
}

/** What has settled and depends on what was changed runs again. */
export function decideEdits(state: RunState, edits: ForkEdits): Decided {
  const again = affectedBy(state, edits).map(({ address }) => address);
  const changed = stateEvents(state, edits.state);
  if (again.length === 0) return { events: changed };
  const decided = decideReopen(state, { again, rerunSucceeded: true });
  return 'refusal' in decided ? decided : { events: [...changed, ...decided.events] };
}

function stateEvents(state: RunState, given: JsonObject | undefined): EventOf<'state.updated'>[] {
  const { graph } = scopeAt(state, '');
  if (given === undefined || graph === undefined) return [];
  const { patch } = difference(graph.state, { ...graph.state, ...given });
  return patch.length === 0 ? [] : [{ type: 'state.updated', data: { patch } }];
}

/** In a graph nothing: its visits are what has led here, and what comes next sees the change. */
function affectedBy(state: RunState, { inputs = {}, outputs = {} }: ForkEdits): TaskState[] {
  const { graph, workflow } = scopeAt(state, '');
  if (graph !== undefined) return [];
  const names = new Set(Object.keys(inputs));
  const edited = new Set(Object.keys(outputs));
  return workflow.tasks
    .map(({ name }) => state.tasks.get(name)!)
    .filter(({ life, key, spec }) => {
      const hasBegun = key !== undefined || life.status !== 'pending';
      return hasBegun && (readsInput(spec, names) || readsOutput(spec, edited));
    });
}

function readsOutput({ needs, reads }: TaskSpec, edited: ReadonlySet<string>): boolean {
  return [...needs, ...reads].some((name) => edited.has(name));
}

const mention = /\binputs\b(?:\s*\.\s*([A-Za-z_][\w-]*)|\s*\[\s*\\?["']([^"'\\]+)\\?["']\s*\])?/g;

/** What a function reads cannot be told from its definition: it is taken to read everything. */
function readsInput(spec: TaskSpec, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  if (callsFunction(spec)) return true;
  for (const [, dotted, quoted] of JSON.stringify(spec).matchAll(mention)) {
    const name = dotted ?? quoted;
    if (name === undefined || names.has(name)) return true;
  }
  return false;
}

function callsFunction({ work }: TaskSpec): boolean {
  if (work.type === 'workflow') return work.inherits === true && work.workflow.tasks.some(callsFunction);
  return work.type === 'function';
}
