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

/** Who has changed the same is known, but for journals of older versions. */
export function conflictText(task: string, data: EventOf<'conflict.found'>['data']): string {
  const { files, revision, with: others = [] } = data;
  const next = revision === 0 ? '' : `; the agent of ${task} is to resolve it`;
  const whose = others.length === 0 ? 'the work of other tasks' : filesText(others);
  return `conflict in ${filesText(files)} between ${task} and ${whose}${next}`;
}

export function cleanedText({ how, reason, ref }: EventOf<'workspace.cleaned'>['data']): string {
  return `was ${how}${ref === undefined ? '' : ` in ${ref}`}: ${reason}`;
}

const recoveries = {
  recreated: 'and was made again',
  restored: 'and was made again as it was last saved',
  discarded: 'and was begun anew; what was there is archived',
  held: 'and waits for you',
} as const;

export function recoveredText({ found, how }: EventOf<'workspace.recovered'>['data']): string {
  return `${found}, ${recoveries[how]}`;
}

export function proposedText({ members, commit }: EventOf<'merge.proposed'>['data']): string {
  const along = members.length === 0 ? '' : `, along with ${filesText(members)},`;
  return `is merged${along} to be checked (${shortCommit(commit)})`;
}

export function rejectedText({ members, most }: EventOf<'merge.rejected'>['data']): string {
  const next = most === 0 ? 'it is merged alone next' : `at most ${most} of them are merged along next`;
  return `did not pass its check together with ${filesText(members)}: ${next}`;
}

export function refsText({ refs }: EventOf<'refs.changed'>['data']): string {
  const told = `changed what is not its own: ${filesText(refs.map(refText))}`;
  // Of git's configuration nothing is kept.
  return refs.some((change) => !isOfConfig(change)) ? `${told}; what refs pointed to is kept` : told;
}

type RefChange = EventOf<'refs.changed'>['data']['refs'][number];

function refText(change: RefChange): string {
  const { ref, before, after } = change;
  const [gone, made, other] = isOfConfig(change)
    ? ['removed', 'added', 'changed']
    : ['deleted', 'made', 'moved'];
  return `${ref.replace(/^config /, '')} ${after === undefined ? gone : before === undefined ? made : other}`;
}

function isOfConfig({ ref }: RefChange): boolean {
  return ref.startsWith('config ');
}

export function orderedText({ action }: EventOf<'workspace.ordered'>['data']): string {
  return orders[action];
}

const orders = {
  recreate: 'is to be made again from its branch',
  restore: 'is to be made again as it was saved',
  adopt: 'is taken as it is',
  discard: 'is to be begun anew',
} as const;

export function deliveredText({ how, into, url }: EventOf<'run.delivered'>['data']): string {
  if (how === 'merge') return `its work was merged into ${into}`;
  return `a pull request into ${into} is open${url === undefined ? '' : `: ${url}`}`;
}
