import type { Snapshot } from '../contract.ts';
import type { Change } from './group-commit.ts';
import { number, text } from './rows.ts';
import type { Statements } from './statements.ts';

export function saveSnapshot({ run, seq, hash, format, text }: Snapshot): Change<void> {
  return {
    apply(statements) {
      statements.insertSnapshot.run({ run, seq, hash, format, text });
      statements.dropOldSnapshots.run({ run });
    },
  };
}

export function loadSnapshot(statements: Statements, run: string, upTo: number): Snapshot | undefined {
  const row = statements.loadSnapshot.get({ run, upTo });
  return (
    row && {
      run,
      seq: number(row, 'seq'),
      hash: text(row, 'hash'),
      format: number(row, 'format'),
      text: text(row, 'text'),
    }
  );
}
