import type { StoredCommit } from '../../model/index.ts';
import { blobsOf } from '../codec.ts';

/** The blobs that a commit refers to, each once; none of a body that is no JSON any more. */
export function blobHashes(commit: StoredCommit): string[] {
  try {
    return [...new Set(blobsOf(commit).map(({ hash }) => hash))];
  } catch {
    return [];
  }
}
