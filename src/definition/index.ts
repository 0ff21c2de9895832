export { checkInputs } from './check-inputs.ts';
export { defineWorkflow } from './define-workflow.ts';
export { createEvaluator } from './expressions/evaluator.ts';
export { compileSchema } from './json-schemas.ts';
export type { Problem } from './problems.ts';
export type { TaskDraft, WorkflowDraft } from './workflow-draft.ts';
