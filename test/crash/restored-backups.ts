/** A store is brought back from backups of every age, after its run has gone on to its end: nothing that has ended begins again. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { restoreStore } from '../../src/index.ts';
import { executionsOf } from '../support/commands.ts';
import { unlike } from '../support/promises.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cutAt, framesOf, InterruptedRun, type FlowName } from './lost-log.ts';

/** A backup as it would have been made when the log had come so far. */
function backupAt({ folder }: InterruptedRun, at: number): string {
  const elsewhere = temporaryFolder();
  for (const name of ['piton.db', 'piton.db-wal']) copyFileSync(join(folder, name), join(elsewhere, name));
  cutAt(at).inflict(elsewhere);
  const file = join(elsewhere, 'piton.db');
  // Whoever closes it last brings the log into the file.
  new DatabaseSync(file).close();
  rmSync(`${file}-wal`, { force: true });
  return file;
}

function runsIn(backup: string): number {
  using database = new DatabaseSync(backup, { readOnly: true });
  const found = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'runs'`).get();
  return found === undefined
    ? 0
    : Number(database.prepare('SELECT count(*) AS count FROM runs').get()!['count']);
}

/** What was promised and not kept. `parts`: how far the log had come, from 0 to 1. `isLost`: nothing of the store can be read any more. */
export async function harmOfRestoring(
  flow: FlowName,
  { parts, isLost }: { readonly parts: readonly number[]; readonly isLost: boolean },
): Promise<string[]> {
  const run = await InterruptedRun.make({ flow, isMirrored: false });
  const ledger = executionsOf(run.folder);
  const outputs = await run.resume();
  const harm: string[] = [];
  const frames = framesOf(run.log);
  for (const part of parts) {
    run.restore();
    const backup = backupAt(run, frames[Math.floor((frames.length - 1) * part)]!);
    if (runsIn(backup) === 0) continue;
    await run.resume();
    const file = join(run.folder, 'piton.db');
    if (isLost) rmSync(file);
    await restoreStore({ store: `sqlite:${file}`, durability: 'process' }, backup);
    const name = `${flow}, restored from ${part}`;
    harm.push(
      ...unlike(outputs, await run.resume(), name),
      ...unlike(ledger, executionsOf(run.folder), name),
    );
    if ((await run.verdict()) !== true) harm.push(`${name}: it is not sound afterwards`);
  }
  return harm;
}
