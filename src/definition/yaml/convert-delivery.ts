import type { WorkflowDraft } from '../workflow-draft.ts';
import type { WorkflowFile } from './file-schema.ts';

export function toDelivery(deliver: WorkflowFile['deliver']): WorkflowDraft['deliver'] {
  if (deliver === undefined) return undefined;
  if (deliver === 'pr') return { pr: {} };
  const { pr, approval, if: condition } = deliver;
  return { pr, approval, if: condition === undefined ? undefined : String(condition) };
}
