import { Worker } from 'node:worker_threads';
import { effect, programFile } from '../../base/index.ts';
import type { RunSize, StoreSize } from '../contract.ts';
import { storeError, type StorePlace } from './faults.ts';

export type UpkeepTask =
  | { readonly type: 'backup'; readonly file: string; readonly target: string }
  | { readonly type: 'check'; readonly file: string; readonly withChains: boolean }
  | { readonly type: 'measure'; readonly file: string; readonly runs: readonly string[] }
  | { readonly type: 'vacuum'; readonly file: string };

/** What SQLite finds wrong with the file; a file that cannot even be looked through is one damage. */
export async function findDamage(place: StorePlace, { withChains = false } = {}): Promise<string[]> {
  try {
    return await inWorker<string[]>({ type: 'check', file: place.file, withChains }, []);
  } catch (error) {
    const fault = storeError(error, place);
    if (fault.code === 'STORE_DAMAGED' || fault.code === 'STORE_NOT_A_DATABASE') return [fault.message];
    throw fault;
  }
}

/** Reads every row: in a thread, as what looks for damage is. */
export async function measureStore(place: StorePlace, runs: readonly string[]): Promise<StoreSize> {
  try {
    const none = { bytes: 0, freeBytes: 0, runs: new Map<string, RunSize>() };
    return await inWorker<StoreSize>({ type: 'measure', file: place.file, runs }, none);
  } catch (error) {
    throw storeError(error, place);
  }
}

/** Makes the file anew, as small as it can be, so that it can be made smaller in steps from then on. */
export async function vacuumStore(place: StorePlace): Promise<void> {
  try {
    await effect('store.vacuumed', () => inWorker({ type: 'vacuum', file: place.file }, []));
  } catch (error) {
    throw storeError(error, place);
  }
}

export function inWorker<T>(task: UpkeepTask, none: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(programFile('store/sqlite/upkeep-worker'), { workerData: task, execArgv: [] });
    let answer = none;
    worker.on('message', (given: T) => (answer = given));
    worker.on('error', reject);
    // Not before the thread has ended and let go of the file.
    worker.on('exit', () => resolve(answer));
  });
}
