export { checkInputs } from './check-inputs.ts';
export { defineWorkflow } from './define-workflow.ts';
export { createEvaluator } from './expressions/evaluator.ts';
export { compileSchema } from './json-schemas.ts';
export { parseWorkflow } from './parse-workflow.ts';
export type { Problem } from './problems.ts';
export type { TaskDraft, WorkflowDraft } from './workflow-draft.ts';
export { workflowJsonSchema } from './workflow-json-schema.ts';
