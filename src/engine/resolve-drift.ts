import { PitonError } from '../base/index.ts';
import {
  adopted,
  isSettled,
  migrationPath,
  viewDrift,
  type Drift,
  type DriftView,
  type MigratedScope,
  type RunState,
} from '../kernel/index.ts';
import { functionsOf, type Event, type TaskSpec, type Workflow } from '../model/index.ts';
import { migrateRun, type MigrationRules } from './migrate-run.ts';
import type { Program } from './program.ts';

/**
 * With which definition a run is to go on. Undefined: somebody has to say it, if that makes a difference. `keep-older`: the one that it
 * keeps, unless the new one has a higher version and migrates it.
 */
export type DriftChoice = 'accept' | 'keep' | 'keep-older' | undefined;

/** What becomes of a run before it goes on: the events that say so, and the state after them. */
export interface Resolved {
  readonly events: readonly Event[];
  readonly after: RunState;
}

/**
 * With which definition a run goes on, if the given one is not the one it keeps. Throws `RUN_CHANGED` if that has to be said, if the new
 * one cannot be accepted, or if functions are missing; `MIGRATION_FAILED`.
 */
export async function resolveDrift(
  state: RunState,
  rules: MigrationRules,
  choice: DriftChoice,
): Promise<Resolved> {
  const { program } = rules;
  const { workflow: given } = program;
  if (given.hash === state.workflow.hash) return { events: [], after: state };
  const view = viewDrift(state, given);
  const isAccepted = choice === 'accept' || (choice !== 'keep' && view.migration !== undefined);
  const reason = whyRefused(view, { choice, isAccepted, hasNoWay: hasNoWay(state.workflow, given) });
  if (reason !== undefined) throw changed(state.run, view.drift, reason);
  const migrated = isAccepted ? await migrateRun(state, rules) : [];
  const after = isAccepted ? adopted(state, given, migrated) : state;
  const missing = missingFunctions(after, program);
  if (missing.length > 0) {
    const what = `it calls functions that are not there any more: ${missing.join(', ')}`;
    throw changed(state.run, view.drift, what);
  }
  return { events: isAccepted ? [accepted(given, view.drift, migrated)] : [], after };
}

interface Choice {
  readonly choice: DriftChoice;
  readonly isAccepted: boolean;
  readonly hasNoWay: boolean;
}

function whyRefused(
  { drift, mustChoose, canAccept }: DriftView,
  { choice, isAccepted, hasNoWay }: Choice,
): string | undefined {
  if (!canAccept && (isAccepted || (choice !== 'keep' && hasNoWay)))
    return `the new definition cannot be accepted: ${obstacles(drift)}`;
  return choice === undefined && mustChoose ? 'its definition has changed since it was started' : undefined;
}

/** Versions count, and none of the migrations leads from that of the run to the one that is given. */
function hasNoWay(before: Workflow, given: Workflow): boolean {
  const path = migrationPath(before, given);
  return path !== undefined && 'reason' in path;
}

function accepted(workflow: Workflow, drifts: readonly Drift[], migrated: readonly MigratedScope[]): Event {
  const changes = drifts.map(({ task, field, verdict }) => ({
    ...(task !== undefined && { task }),
    field,
    verdict,
  }));
  return {
    type: 'drift.accepted',
    data: { workflow, changes, ...(migrated.length > 0 && { migrated }) },
  };
}

function obstacles(drift: readonly Drift[]): string {
  const structural = drift.filter(({ verdict }) => verdict === 'structural');
  return structural.map(inWords).join('; ');
}

function inWords({ task, field, change, effect }: Drift): string {
  const what = change === 'changed' ? field : change;
  return `${task === undefined ? what : `${task} (${what})`}: ${effect}`;
}

/** What is still to be called. */
function missingFunctions(state: RunState, program: Program): string[] {
  return [...new Set(functionsOf(openWorkflow(state)))].filter((name) => !program.knows(name));
}

/** The definition without the tasks that have settled, and with those that go by another. */
export function openWorkflow({ workflow, tasks }: RunState): Workflow {
  const isOpen = ({ name }: TaskSpec): boolean => {
    const life = tasks.get(name)?.life;
    return life === undefined || !isSettled(life);
  };
  const begun = [...tasks.values()].filter(({ life }) => !isSettled(life)).map(({ spec }) => spec);
  return { ...workflow, tasks: [...workflow.tasks.filter(isOpen), ...begun] };
}

/** With all that tasks have begun by: they may go on by it, and their secrets stay secret. */
export function withAllSpecs({ tasks }: RunState, workflow: Workflow): Workflow {
  const specs = new Set([...workflow.tasks, ...Array.from(tasks.values(), ({ spec }) => spec)]);
  return specs.size === workflow.tasks.length ? workflow : { ...workflow, tasks: [...specs] };
}

function changed(run: string, drift: readonly Drift[], what: string): PitonError {
  return new PitonError('RUN_CHANGED', `Run ${run} cannot go on yet: ${what}.`, {
    run,
    drift,
    remedy:
      'Choose the definition to continue with: the one it was started with (`keepDefinition`), or the new one (`acceptDrift`).',
  });
}
