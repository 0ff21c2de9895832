/** What a run has left behind, seen from outside: its journal, the traces of its tasks, how it ended. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import { open } from '../../src/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { executionsIn, type Execution } from './executions.ts';

/** An event as it stands in the journal; values that were put aside as blobs are missing. */
export interface Journalled {
  readonly seq: number;
  readonly type: string;
  readonly task?: string;
  readonly attempt?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Sight {
  readonly journal: readonly Journalled[];
  readonly executed: readonly Execution[];
}

/** Looks at copies: the next process must find the files as the last one left them, with a log nobody has gone through. */
export async function lookAt(folder: string): Promise<Sight> {
  const copy = mkdtempSync(join(tmpdir(), 'piton-copy-'));
  try {
    for (const file of ['piton.db', 'piton.db-wal']) {
      if (existsSync(join(folder, file))) copyFileSync(join(folder, file), join(copy, file));
    }
    return { journal: await readJournal(copy), executed: executionsIn(folder) };
  } finally {
    rmSync(copy, { recursive: true });
  }
}

async function readJournal(folder: string): Promise<Journalled[]> {
  const url = `sqlite:${join(folder, 'piton.db')}`;
  const store = await openSqliteStore(url, { durability: 'process', clock: systemClock });
  try {
    const commits = await store.readCommits('run', { after: 0, limit: 10_000 });
    return commits.flatMap(({ seq, body }) => {
      const { events } = JSON.parse(body) as { events: Omit<Journalled, 'seq'>[] };
      return events.map((event) => ({ ...event, seq }));
    });
  } finally {
    await store.close();
  }
}

/** How a run ended, without anything that may differ from one time to the next. */
export interface Ending {
  readonly status: string;
  readonly outputs: unknown;
  readonly state: unknown;
  readonly error: unknown;
  readonly tasks: Readonly<Record<string, unknown>>;
  readonly verified: boolean;
}

export async function endingOf(folder: string): Promise<Ending> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process' });
  const run = await piton.find('run');
  const { status, outputs, state, error } = await run.result();
  const { tasks } = await run.checkpoint();
  const [verdict] = await piton.verify('run');
  const reports = Object.entries(tasks).map(([address, report]) => [
    address,
    { status: report.status, output: report.output, error: report.error?.message, reason: report.reason },
  ]);
  return {
    status,
    outputs,
    state,
    error: error?.message,
    tasks: Object.fromEntries(reports) as Record<string, unknown>,
    verified: verdict!.ok,
  };
}
