/** Long looks at the whole file, in a thread of their own so that the event loop goes on. One task, one answer, the end. */
import { backup, DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { findBrokenChains } from './check-chains.ts';
import { findWrongRows } from './check-rows.ts';
import { measureRows } from './measure-rows.ts';
import type { UpkeepTask } from './upkeep.ts';

const task = workerData as UpkeepTask;
/** One step for everything: a backup in several steps starts again whenever another process writes in between. */
const allPages = 2 ** 31 - 1;

const database = new DatabaseSync(task.file, { timeout: 10_000, readOnly: task.type !== 'vacuum' });
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
parentPort?.postMessage(await answerTo(task));
database.close();

async function answerTo(given: UpkeepTask): Promise<unknown> {
  if (given.type === 'check') return findDamage(given.withChains);
  if (given.type === 'measure') return measureRows(database, given.runs);
  if (given.type === 'vacuum') database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
  if (given.type === 'backup') await copyTo(given.target);
  return [];
}

async function copyTo(target: string): Promise<void> {
  await backup(database, target, { rate: allPages });
  leaveLogMode(target);
}

/** A database that says it has a log makes one, beside it, when it is only looked at. */
function leaveLogMode(file: string): void {
  const copied = new DatabaseSync(file);
  copied.exec('PRAGMA journal_mode = DELETE');
  copied.close();
}

function findDamage(withChains: boolean): string[] {
  const lines = database.prepare('PRAGMA integrity_check').all();
  const found = lines.map((line) => String(line['integrity_check'])).filter((line) => line !== 'ok');
  return [...found, ...findWrongRows(database), ...(withChains ? findBrokenChains(database) : [])];
}
