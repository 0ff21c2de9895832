import { PitonError, shellWord } from '../../base/index.ts';
import type { RepositoryOrigin } from '../contract.ts';
import { listRefs, runBranch, runTipRef, taskBranch, type Git } from '../git/index.ts';

/**
 * A run that is new has no refs yet: those of its name are of the user, or of a run that another store knows, and it would go on
 * from what they hold.
 */
export async function assertFree(git: Git, repository: RepositoryOrigin, run: string): Promise<void> {
  const refs = [...(await listRefs(git, repository)).keys()];
  const inTheWay = refs.find((ref) => parents.has(ref));
  if (inTheWay !== undefined) throw obstructed(inTheWay, run);
  const own = new Set([runBranch(run), runTipRef(run)]);
  const tasks = taskBranch(run, 'x').slice(0, -1);
  const taken = refs.find((ref) => own.has(ref) || ref.startsWith(tasks));
  if (taken !== undefined) throw used(taken, run);
}

/** Git cannot have `a` and `a/b` at once. */
const parents: ReadonlySet<string> = new Set(['refs/heads/piton', 'refs/heads/piton-tasks']);

function obstructed(ref: string, run: string): PitonError {
  const name = ref.replace('refs/heads/', '');
  const message = `The branch ${name} is in the way: beside it, git cannot have ${name}/${run}.`;
  const remedy = `Give it another name: git branch --move ${name} <name>`;
  return new PitonError('BRANCH_TAKEN', message, { ref, remedy });
}

function used(ref: string, run: string): PitonError {
  const message = `${ref} is there already, and no run ${run} is known here that could have made it.`;
  const mend = ref.startsWith('refs/heads/')
    ? `git branch --move ${shellWord(ref.replace('refs/heads/', ''))} <name>`
    : `git update-ref -d ${shellWord(ref)}, if what it holds is needed no more`;
  return new PitonError('BRANCH_TAKEN', message, {
    ref,
    remedy: `Start the run with another id, or make way: ${mend}`,
  });
}
