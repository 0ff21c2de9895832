import { PitonError } from '../base/index.ts';
import type { Lease } from '../model/index.ts';

/** The errors that every adapter throws alike, so that callers and people meet the same words whatever the store. */

export function runExists(run: string): PitonError {
  return new PitonError('RUN_EXISTS', `There is a run '${run}' already.`, {
    run,
    remedy: 'Resume it, or choose another id.',
  });
}

export function runMissing(run: string): PitonError {
  return new PitonError('RUN_NOT_FOUND', `There is no run '${run}' in this store.`, {
    run,
    remedy: 'It may have been pruned, or live in another store.',
  });
}

/** `present`: the lease as it stands now; undefined if it is free. */
export function leaseLost(name: string, present: Lease | undefined): PitonError {
  return new PitonError('LEASE_LOST', `The lease '${name}' is not ours (any longer): ${standing(present)}.`, {
    name,
    holder: present?.owner,
    remedy: 'Nothing was written. Take the lease again and read the journal before going on.',
  });
}

function standing(present: Lease | undefined): string {
  if (present === undefined) return 'it is free';
  const { owner, epoch } = present;
  return `epoch ${epoch}, process ${owner.pid} on ${owner.host}, until ${new Date(present.expiresAt).toISOString()}`;
}

export function seqConflict(
  run: string,
  seqs: { readonly given: number; readonly head: number },
): PitonError {
  return new PitonError(
    'SEQ_CONFLICT',
    `Commit ${seqs.given} of run '${run}' does not follow its journal, which ends at ${seqs.head}.`,
    { run, ...seqs, remedy: 'Nothing was written. Read the journal again from its head.' },
  );
}

/** `lastGood` of a quarantine request names a commit that the journal does not hold. */
export function cutMisplaced(run: string, seq: number): PitonError {
  return new PitonError('SEQ_CONFLICT', `The journal of run '${run}' has no commit ${seq} with that hash.`, {
    run,
    seq,
    remedy: 'Nothing was moved. Verify the run again: it has changed since.',
  });
}

export function blobMissing(hash: string): PitonError {
  return new PitonError('BLOB_MISSING', `The store holds no blob ${hash}.`, {
    hash,
    remedy: 'It may have been dropped after success (see preserve), or pruned.',
  });
}

export function blobDamaged(hash: string): PitonError {
  return new PitonError(
    'STORE_DAMAGED',
    `The blob ${hash} no longer has that hash: its content was changed.`,
    {
      hash,
      remedy: 'Run piton verify, and restore a backup if the value is needed.',
    },
  );
}

export function storeClosed(url: string): PitonError {
  return new PitonError('STORE_CLOSED', `The store ${url} has been closed.`, {
    url,
    remedy: 'Open it again.',
  });
}

export function storeGone(file: string): PitonError {
  return new PitonError('STORE_GONE', `The store ${file} was deleted or replaced while it was in use.`, {
    file,
    remedy:
      'Nothing more is written or started. Bring the file back, with its -wal file, and resume; or start anew.',
  });
}

export function cursorInvalid(cursor: string, url: string): PitonError {
  return new PitonError('CURSOR_INVALID', `The store ${url} has no change with the cursor '${cursor}'.`, {
    cursor,
    remedy:
      'It is of another store, or an older copy of this one was put back: follow the changes from the beginning.',
  });
}

/** What a store cannot do by its nature, said plainly. */
export function unsupported(what: string, remedy: string): PitonError {
  return new PitonError('STORE_UNSUPPORTED', what, { remedy });
}

/** Why a run that was chosen to be removed stays. */
export const goneOn = 'it was gone on with after it was chosen';
