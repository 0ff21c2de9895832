import type { EventOf } from '../../../model/index.ts';

/** What is said of the place of a task, and of the work it leaves there. */
const mostFiles = 10;

/** Names of files, as many as one line bears. */
export function filesText(files: readonly string[]): string {
  const left = files.length - mostFiles;
  const shown = files.slice(0, mostFiles).join(', ');
  return left > 0 ? `${shown} and ${left} more` : shown;
}

/** As git shortens it. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 7);
}

/**
 * The branch of the run that a branch of a task belongs to. Not every id of a run can be in the name of a branch as it
 * is; in both it is written the same.
 */
export function runBranchOf(branch: string): string {
  return branch.replace(/^(?:refs\/heads\/)?piton-tasks\/([^/]+)\/.*$/s, 'piton/$1');
}

export function conflictText({ files, revision }: EventOf<'conflict.found'>['data']): string {
  const next = revision === 0 ? '' : '; its agent is to make it fit';
  return `does not fit to that of others: ${filesText(files)}${next}`;
}

export function cleanedText({ how, reason, ref }: EventOf<'workspace.cleaned'>['data']): string {
  return `was ${how}${ref === undefined ? '' : ` in ${ref}`}: ${reason}`;
}

export function recoveredText({ found, how }: EventOf<'workspace.recovered'>['data']): string {
  return `${found}, ${how === 'recreated' ? 'and was made again' : 'and waits for you'}`;
}
