import { selectTasks } from '../../definition/index.ts';
import type { Definition } from '../../library/index.ts';
import { selectionOf, type Selection } from './selection.ts';

export function selectFrom(definition: Definition, given: Selection): Definition {
  const selection = selectionOf(given);
  if (Object.keys(selection).length === 0) return definition;
  const { workflow, functions, closures, declaresInputs } = definition;
  return {
    workflow: selectTasks(workflow, selection),
    functions,
    closures,
    ...(declaresInputs !== undefined && { declaresInputs }),
  };
}
