import { isReported } from '../problems.ts';
import type { WorkflowDraft } from '../workflow-draft.ts';
import type { Conversion } from './conversion.ts';
import type { WorkflowFile } from './file-schema.ts';

export function toDelivery(deliver: WorkflowFile['deliver'], around: Conversion): WorkflowDraft['deliver'] {
  if (deliver === undefined) return undefined;
  if (deliver === 'pr') return { pr: {} };
  const { pr, approval, if: condition } = deliver;
  const { template, ...texts } = pr;
  const read = template === undefined ? {} : readTemplate(template, texts.body, around);
  return { pr: { ...read, ...texts }, approval, if: condition === undefined ? undefined : String(condition) };
}

/** As a prompt in a file, it becomes a part of the workflow: a change of it is a change of the task. */
function readTemplate(
  template: string,
  body: string | undefined,
  around: Conversion,
): ReturnType<Conversion['readTemplate']> {
  const at = ['deliver', 'pr', 'template'];
  if (body !== undefined) {
    const message = 'The text of a pull request is either its `body` or a `template`.';
    around.findings.push({ at, onKey: true, message, remedy: 'Remove one of them.' });
  }
  return isReported(at, around.findings) ? {} : around.readTemplate(template, at);
}
