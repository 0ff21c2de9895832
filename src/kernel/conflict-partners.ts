import { someNames } from '../base/index.ts';
import type { RunState, TaskState } from './run-state.ts';

/** More would not be read. */
const mostNamed = 3;

/** Tasks whose work was brought to the branch of the run since this one began: what conflicts with its work is among them. */
export function broughtInSince({ tasks }: RunState, { address, startedAt = 0 }: TaskState): string[] {
  return [...tasks.values()]
    .filter((other) => other.address !== address && other.workspace?.integrated !== undefined)
    .filter(({ endedAt }) => endedAt !== undefined && endedAt >= startedAt)
    .map((other) => other.address);
}

/** `conflict in title.txt between slow and quick`, and where to look at it. Undefined if that is not known. */
export function conflictReason(
  { address, workspace }: TaskState,
  { files, others }: { readonly files: readonly string[]; readonly others: readonly string[] },
): string | undefined {
  if (files.length === 0 || others.length === 0) return undefined;
  const where = workspace === undefined ? '' : ` (both sides are in ${workspace.path})`;
  return `conflict in ${someNames(files, mostNamed)} between ${address} and ${someNames(others, mostNamed)}${where}`;
}
