import { assertSameWorkflow, previewMigration, type DriftReport } from '../engine/index.ts';
import { viewDrift, type RunState } from '../kernel/index.ts';
import type { Definition } from './definition.ts';
import { programOf } from './program.ts';

interface ReportOptions {
  /** Whether migrations are run, to show what they give. */
  readonly dryRun: boolean;
  readonly maxOutputBytes: number;
}

/** How a definition differs from the one that a run keeps, and what its migrations would give. Throws `RUN_CHANGED`. */
export async function reportDrift(
  state: RunState,
  definition: Definition,
  { dryRun, maxOutputBytes }: ReportOptions,
): Promise<DriftReport> {
  const { workflow } = definition;
  assertSameWorkflow(state.run, state.workflow.name, workflow);
  const view = viewDrift(state, workflow);
  if (!dryRun || !view.canAccept || view.drift.length === 0) return view;
  const program = await programOf(definition);
  const migrated = await previewMigration(state, { program, maxOutputBytes });
  return { ...view, ...(migrated !== undefined && { migrated }) };
}
