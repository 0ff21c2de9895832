/** Long looks at the whole file, in a thread of their own so that the event loop goes on. One task, one answer, the end. */
import { backup, DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { findWrongRows } from './check-rows.ts';
import type { UpkeepTask } from './upkeep.ts';

const task = workerData as UpkeepTask;
/** One step for everything: a backup in several steps starts again whenever another process writes in between. */
const allPages = 2 ** 31 - 1;

const database = new DatabaseSync(task.file, { timeout: 10_000, readOnly: true });
if (task.type === 'backup') await backup(database, task.target, { rate: allPages });
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
parentPort?.postMessage(task.type === 'check' ? findDamage() : []);
database.close();

function findDamage(): string[] {
  const lines = database.prepare('PRAGMA integrity_check').all();
  const found = lines.map((line) => String(line['integrity_check'])).filter((line) => line !== 'ok');
  return [...found, ...findWrongRows(database)];
}
