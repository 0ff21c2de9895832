import { summaryOf } from '../kernel/index.ts';
import type { StoredCommit } from '../model/index.ts';
import type { RunRecord, Store } from '../store/index.ts';
import { foldCommits, type FoldSource, type LoadedRun } from './load-run.ts';

/** The row of a run as its journal tells it. Throws what cannot be read, as `loadRun` does. */
export async function expectedRecord(
  store: FoldSource & Pick<Store, 'quarantined'>,
  commits: readonly StoredCommit[],
  loaded?: Pick<LoadedRun, 'state' | 'head'>,
): Promise<RunRecord> {
  const { state, head } = loaded ?? (await foldCommits(store, commits));
  const { run } = state;
  return {
    ...summaryOf(state),
    run,
    seq: head.seq,
    hash: head.hash,
    incarnation: 1 + countCuts(commits) + countCuts(await store.quarantined(run)),
    createdAt: state.createdAt,
    updatedAt: timeOf(commits.at(-1)!),
  };
}

/** Every cut adds a commit that says so, which a later one may have moved aside. */
function countCuts(commits: readonly StoredCommit[]): number {
  return commits.filter(({ body }) => body.includes('"events":[{"type":"run.repaired"')).length;
}

function timeOf({ body }: StoredCommit): number {
  return (JSON.parse(body) as { readonly at: number }).at;
}
