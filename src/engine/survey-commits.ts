import { asError, chainHash, genesis, hasCode } from '../base/index.ts';
import type { StoredCommit } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { blobsOf } from './codec.ts';

export interface CommitFault {
  readonly seq: number;
  readonly what: string;
}

/** Behind a commit that cannot be read, so many are tried for one that can. */
const longestGap = 1_000;

/**
 * Everything that is wrong with the commits of a run, for people: goes on behind each fault, from what is stored there. Whether there is
 * damage at all, and up to where the journal is good, is `readChain`'s to say.
 */
export async function surveyCommits(store: Store, run: string, upTo = Infinity): Promise<CommitFault[]> {
  const faults: CommitFault[] = [];
  let previous = { seq: 0, hash: genesis };
  for (let unread = 0; ;) {
    const after = previous.seq + unread;
    if (after >= upTo) return faults;
    const found = await readNext(store, run, after);
    if ('what' in found) {
      if (unread === 0) faults.push({ seq: after + 1, what: found.what });
      if (++unread > longestGap) return faults;
      continue;
    }
    const [stored] = found.commits;
    if (stored === undefined) return faults;
    faults.push(...(await faultsOf(store, stored, unread === 0 ? previous : undefined)));
    previous = stored;
    unread = 0;
  }
}

type Read = { readonly commits: readonly StoredCommit[] } | { readonly what: string };

/** One at a time: a page of many tells only that one of them cannot be read. */
async function readNext(store: Store, run: string, after: number): Promise<Read> {
  try {
    return { commits: await store.readCommits(run, { after, limit: 1 }) };
  } catch (thrown) {
    if (!hasCode(thrown, 'STORE_DAMAGED')) throw thrown;
    return { what: `commit ${after + 1} cannot be read: ${asError(thrown).message}` };
  }
}

async function faultsOf(
  store: Store,
  stored: StoredCommit,
  previous: { readonly seq: number; readonly hash: string } | undefined,
): Promise<CommitFault[]> {
  const { seq, body, hash, run } = stored;
  const what: string[] = [];
  if (previous !== undefined && seq > previous.seq + 1) what.push(missing(previous.seq + 1, seq - 1));
  else if (previous !== undefined && hash !== chainHash(previous.hash, body)) {
    what.push(`commit ${seq} is not what was written`);
  }
  if (!body.startsWith(`{"run":${JSON.stringify(run)},"seq":${seq},`))
    what.push(`commit ${seq} belongs elsewhere`);
  what.push(...(await lostValues(store, stored)));
  return what.map((text) => ({ seq, what: text }));
}

function missing(from: number, to: number): string {
  return from === to ? `commit ${from} is missing` : `commits ${from} to ${to} are missing`;
}

async function lostValues(store: Store, stored: StoredCommit): Promise<string[]> {
  const what: string[] = [];
  for (const { hash } of valuesOf(stored)) {
    try {
      await store.readBlob(hash);
    } catch (thrown) {
      if (!hasCode(thrown, 'STORE_DAMAGED')) continue;
      what.push(`commit ${stored.seq}: ${asError(thrown).message}`);
    }
  }
  return what;
}

/** None of a body that is no JSON any more. */
function valuesOf(stored: StoredCommit): ReturnType<typeof blobsOf> {
  try {
    return blobsOf(stored);
  } catch {
    return [];
  }
}
