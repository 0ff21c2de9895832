import { hasExpression } from '../expressions/templates.ts';
import type { Finding, Path } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';

/** Locks that other runs see too: what they cannot be called, and who cannot hold them. */
export function checkRepositoryLocks({ repositoryLocks = [], work }: TaskDraft, at: Path): Finding[] {
  const place = [...at, 'repository-locks'];
  if (repositoryLocks.length > 0 && work.type === 'workflow') return [ofWorkflow(place)];
  return repositoryLocks.flatMap((name, index) => {
    const fault = faultOf(name, repositoryLocks.indexOf(name) < index);
    return fault === undefined ? [] : [{ at: [...place, index], ...fault }];
  });
}

/** Held over a whole workflow, with tasks that may wait for a person, it would shut out others for days. */
function ofWorkflow(at: Path): Finding {
  const message = '`repository-locks` are held while an attempt runs, and a workflow has none of its own.';
  const inCode = { message: message.replace('repository-locks', 'repositoryLocks') };
  return { at, onKey: true, message, remedy: 'Put it on the tasks inside that need it.', inCode };
}

function faultOf(name: string, isTwice: boolean): Pick<Finding, 'message' | 'remedy'> | undefined {
  const remedy = 'Write a name that all workflows use for the same thing, such as `database`.';
  if (hasExpression(name)) return { message: 'The name of a lock cannot hold `${{ }}`.', remedy };
  if (name.trim() === '' || /\p{Cc}/u.test(name))
    return { message: `${JSON.stringify(name)} cannot be the name of a lock.`, remedy };
  return isTwice ? { message: `\`${name}\` is named twice.` } : undefined;
}
