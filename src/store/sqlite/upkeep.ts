import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { hasCode, PitonError, programFile, randomId } from '../../base/index.ts';
import { storeError } from './faults.ts';
import { syncFolder } from './medium.ts';

export type UpkeepTask =
  | { readonly type: 'backup'; readonly file: string; readonly target: string }
  | { readonly type: 'check'; readonly file: string };

/**
 * Copies the database in one step. The name is reserved first and the copy renamed onto it last, so nothing is
 * overwritten, and what bears the name is either empty or complete.
 */
export async function backUp(file: string, given: string): Promise<void> {
  const target = resolve(given);
  const partial = `${target}.${randomId(8)}.partial`;
  reserve(target);
  try {
    closeSync(openSync(partial, 'wx', 0o600));
    await inWorker({ type: 'backup', file, target: partial });
    syncFile(partial);
    renameSync(partial, target);
    syncFolder(dirname(target));
  } catch (error) {
    rmSync(partial, { force: true });
    rmSync(target, { force: true });
    throw storeError(error, file);
  }
}

/** What SQLite finds wrong with the file; a file that cannot even be looked through is one damage. */
export async function findDamage(file: string): Promise<string[]> {
  try {
    return await inWorker({ type: 'check', file });
  } catch (error) {
    const fault = storeError(error, file);
    if (fault.code === 'STORE_DAMAGED' || fault.code === 'STORE_NOT_A_DATABASE') return [fault.message];
    throw fault;
  }
}

function inWorker(task: UpkeepTask): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(programFile('store/sqlite/upkeep-worker'), { workerData: task, execArgv: [] });
    let answer: string[] = [];
    worker.on('message', (lines: string[]) => (answer = lines));
    worker.on('error', reject);
    // Not before the thread has ended and let go of the file.
    worker.on('exit', () => resolve(answer));
  });
}

function reserve(target: string): void {
  try {
    closeSync(openSync(target, 'wx', 0o600));
  } catch (cause) {
    if (hasCode(cause, 'EEXIST')) {
      throw new PitonError('BACKUP_EXISTS', `There is a file ${target} already.`, {
        file: target,
        cause,
        remedy: 'Choose another name: a backup never overwrites anything.',
      });
    }
    throw new PitonError('BACKUP_FAILED', `The backup ${target} cannot be created.`, {
      file: target,
      cause,
      remedy: 'Check that its folder exists and that you may write to it.',
    });
  }
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
