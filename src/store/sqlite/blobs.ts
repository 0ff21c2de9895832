import { sha256 } from '../../base/index.ts';
import { blobDamaged, blobMissing } from '../refusals.ts';
import { text } from './rows.ts';
import type { Statements } from './statements.ts';

export function readBlob(statements: Statements, hash: string): string {
  const row = statements.readBlob.get({ hash });
  if (row === undefined) throw blobMissing(hash);
  const content = text(row, 'text');
  if (sha256(content) !== hash) throw blobDamaged(hash);
  return content;
}
