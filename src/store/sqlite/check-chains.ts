import type { DatabaseSync } from 'node:sqlite';
import { chainHash, genesis } from '../../base/index.ts';

const commits = `SELECT runs.run, commits.seq, commits.hash, commits.body
                 FROM commits JOIN runs ON runs.number = commits.run_number ORDER BY commits.run_number, commits.seq`;

/** The first commit of each run that is missing, or not what was written. */
export function findBrokenChains(database: DatabaseSync): string[] {
  const found: string[] = [];
  let last = { run: '', seq: 0, hash: genesis, isBroken: false };
  try {
    for (const row of database.prepare(commits).iterate()) {
      const [run, seq, hash] = [String(row['run']), Number(row['seq']), String(row['hash'])];
      if (run !== last.run) last = { run, seq: 0, hash: genesis, isBroken: false };
      if (last.isBroken) continue;
      const fault = faultOf({ seq, hash, body: row['body'] }, last);
      if (fault !== undefined) found.push(`${run}@${seq}: ${fault}`);
      last = { run, seq, hash, isBroken: fault !== undefined };
    }
  } catch (error) {
    found.push(`commits: they cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
  return found;
}

interface ReadCommit {
  readonly seq: number;
  readonly hash: string;
  readonly body: unknown;
}

function faultOf(
  { seq, hash, body }: ReadCommit,
  last: { readonly seq: number; readonly hash: string },
): string | undefined {
  if (seq !== last.seq + 1) return `the commit before it is missing`;
  return typeof body === 'string' && hash === chainHash(last.hash, body)
    ? undefined
    : 'it is not what was written';
}
