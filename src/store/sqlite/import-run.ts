import type { ImportRunRequest } from '../contract.ts';
import { blobMissing, runExists } from '../refusals.ts';
import type { Change } from './group-commit.ts';
import { holdsCommit } from './journal.ts';
import { rowOf, sealedRow } from './runs.ts';
import { headSealOf } from './seal.ts';
import { saveSnapshot } from './snapshots.ts';
import type { Statements } from './statements.ts';

export function importRun(request: ImportRunRequest): Change<void> {
  const { record, snapshot, lease } = request;
  const { run, seq, incarnation } = record;
  return {
    apply(statements) {
      const row = sealedRow(run, seq, rowOf(record));
      if (statements.insertRun.run(...row, record.createdAt).changes !== 1) throw runExists(run);
      statements.importIncarnation.run({ run, incarnation });
      for (const { hash, text } of request.blobs) statements.insertBlob.run(hash, text);
      for (const hash of request.needed ?? [])
        if (statements.hasBlob.get({ hash }) === undefined) throw blobMissing(hash);
      insertCommits(statements, request);
      for (const aside of request.quarantined) {
        statements.insertAside.run({ run, seq: aside.seq, body: aside.body, hash: aside.hash });
        for (const blob of aside.blobs) statements.linkBlob.run(run, aside.seq, blob);
      }
      if (snapshot !== undefined) saveSnapshot(snapshot).apply(statements);
      statements.importEpoch.run({ name: lease.name, epoch: lease.epoch });
    },
    landed: (statements) => holdsCommit(statements, record),
  };
}

/** How many tasks had settled is read of the last commit only: all are given what that says. */
function insertCommits(statements: Statements, { record, commits }: ImportRunRequest): void {
  const { run, settled, total } = record;
  for (const { seq, hash, at, body, blobs } of commits) {
    const seal = headSealOf({ run, seq, hash, at, settled, total });
    statements.insertCommit.run(run, seq, hash, at, settled, total, seal, body, null);
    for (const blob of blobs) statements.linkBlob.run(run, seq, blob);
  }
}
