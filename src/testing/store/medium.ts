import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '../expect.ts';
import { appending, blob, commit, creation } from '../store-requests.ts';
import type { World } from './world.ts';

export function mediumContract(world: World): void {
  const { test } = world.framework;
  test('finds nothing wrong with a sound medium', async () => {
    await world.store.createRun(creation('r1'));
    expect(await world.store.checkMedium()).toEqual([]);
  });

  test('counts what it holds', async () => {
    expect(await world.store.figures()).toMatchObject({ runs: {}, commits: 0, blobs: 0, quarantined: 0 });
    const lease = await world.store.createRun(creation('r1', { blobs: [blob('kept')] }));
    await world.store.append(appending(lease, 2));
    const { status, createdAt, updatedAt } = (await world.store.findRun('r1'))!;
    expect(await world.store.figures()).toMatchObject({
      runs: { [status]: 1 },
      commits: 2,
      blobs: 1,
      snapshots: 0,
      oldestAt: createdAt,
      newestAt: updatedAt,
    });
  });

  test('has room for more', () => {
    expect(world.store.hasRoom()).toBe(true);
  });

  test('has no witness of a run it does not know', async () => {
    expect(await world.store.witnessedSeq('nobody')).toBeUndefined();
  });

  test('keeps what was asked for before it was closed, and refuses what is asked for afterwards', async () => {
    const another = await world.openAnother();
    const creating = world.store.createRun(creation('r1'));
    const closing = world.store.close();
    await creating;
    await closing;

    expect((await another.findRun('r1'))?.seq).toBe(1);
    await expect(world.store.findRun('r1')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await expect(world.store.createRun(creation('r2'))).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    const asked = (async () => world.store.hasRoom())();
    await expect(asked).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await world.store.close();
  });
}

export function backupContract(world: World): void {
  const { test } = world.framework;
  test('backs up everything while writing goes on', async () => {
    const lease = await world.store.createRun(creation('r1', { blobs: [blob('kept')] }));
    const file = join(world.folder, 'copy');
    const copying = world.store.backup(file);
    for (const seq of [2, 3, 4]) await world.store.append(appending(lease, seq));
    await copying;

    const copy = await world.openBackup(file);
    const copied = await copy.readCommits('r1', { after: 0, limit: 10 });
    expect(copied.length).toBeGreaterThan(0);
    expect(copied).toEqual([1, 2, 3, 4].slice(0, copied.length).map((seq) => commit('r1', seq)));
    expect((await copy.findRun('r1'))?.seq).toBe(copied.length);
    expect(await copy.readBlob(blob('kept').hash)).toBe('kept');
  });

  test('never overwrites a file with a backup', async () => {
    const file = join(world.folder, 'copy');
    writeFileSync(file, 'precious');

    await expect(world.store.backup(file)).rejects.toMatchObject({ code: 'BACKUP_EXISTS' });
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });
}

/** For stores that have nothing to copy. */
export function noBackupContract(world: World, reason: string): void {
  const { test } = world.framework;
  test(`refuses to be backed up: ${reason}`, async () => {
    await expect(world.store.backup(join(world.folder, 'copy'))).rejects.toMatchObject({
      code: 'STORE_UNSUPPORTED',
    });
  });
}
