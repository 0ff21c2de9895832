import { selectTasks, withDefaults } from '../../definition/index.ts';
import type { Definition } from '../../library/index.ts';
import type { RunDefaults, Workflow } from '../../model/index.ts';
import { selectionOf, type Selection } from './selection.ts';

/** A part of a definition, or all of it. */
export function selectFrom(definition: Definition, given: Selection): Definition {
  const selection = selectionOf(given);
  if (Object.keys(selection).length === 0) return definition;
  return withWorkflow(definition, selectTasks(definition.workflow, selection));
}

/** With what a configuration says where the definition says nothing. */
export function fillFrom(definition: Definition, { checkpoint, maxParallel }: RunDefaults): Definition {
  const { workflow, leavesCheckpoint } = definition;
  const filled = withDefaults(workflow, {
    ...(checkpoint !== undefined && leavesCheckpoint === true && { checkpoint }),
    ...(maxParallel !== undefined && { maxParallel }),
  });
  return filled === workflow ? definition : withWorkflow(definition, filled);
}

/** What is exported by a program may be of a class: it is not copied, but read. */
function withWorkflow(definition: Definition, workflow: Workflow): Definition {
  const { functions, closures, declaresInputs, leavesCheckpoint, progress } = definition;
  return {
    workflow,
    functions,
    closures,
    ...(declaresInputs !== undefined && { declaresInputs }),
    ...(leavesCheckpoint !== undefined && { leavesCheckpoint }),
    ...(progress !== undefined && { progress: progress.bind(definition) }),
  };
}
