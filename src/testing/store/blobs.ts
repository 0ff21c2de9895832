import { expect } from '../expect.ts';
import { appending, blob, creation, leaseOf } from '../store-requests.ts';
import type { World } from './world.ts';

export function blobsContract(world: World): void {
  const { describe, test } = world.framework;
  describe('of blobs,', () => {
    test('gives back the text written with a commit, however many commits and runs share it', async () => {
      const big = blob('🧗'.repeat(200_000));
      const lease = await world.store.createRun(creation('r1', { blobs: [big, blob('small')] }));
      await world.store.append(appending(lease, 2, { blobs: [big, big] }));
      await world.store.createRun(creation('r2', { blobs: [big] }));

      expect(await world.store.readBlob(big.hash)).toBe(big.text);
      expect(await world.store.readBlob(blob('small').hash)).toBe('small');
      // One text for three references: dropping the run that brought it leaves it to the other.
      expect(await world.store.prune({ leaseOf, runs: ['r1'], force: true })).toEqual({ runs: 1, blobs: 1 });
      expect(await world.store.readBlob(big.hash)).toBe(big.text);
    });

    test('gives back what a later commit, or a repair, has brought and no earlier one had', async () => {
      const lease = await world.store.createRun(creation('r1'));
      await world.store.append(appending(lease, 2, { blobs: [blob('later')] }));
      expect(await world.store.readBlob(blob('later').hash)).toBe('later');

      const [first] = await world.store.readCommits('r1', { after: 0, limit: 1 });
      const repair = { ...appending(lease, 2, { blobs: [blob('mended')] }), lastGood: first! };
      await world.store.quarantine(repair);
      expect(await world.store.readBlob(blob('mended').hash)).toBe('mended');
    });

    test('says which one is missing', async () => {
      const { hash } = blob('never stored');
      await expect(world.store.readBlob(hash)).rejects.toMatchObject({
        code: 'BLOB_MISSING',
        details: { hash },
      });
    });
  });
}

/** For stores whose medium others can get at. */
export function damagedBlobsContract(world: World): void {
  const { test } = world.framework;
  test('refuses to give a text that no longer has its hash', async () => {
    const { hash } = blob('precious');
    await world.store.createRun(creation('r1', { blobs: [blob('precious')] }));
    world.damageBlob(hash);

    await expect(world.store.readBlob(hash)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });

  test('mends such a text when a commit brings it again', async () => {
    const precious = blob('precious');
    const lease = await world.store.createRun(creation('r1', { blobs: [precious] }));
    world.damageBlob(precious.hash);
    await world.store.append(appending(lease, 2, { blobs: [precious] }));

    expect(await world.store.readBlob(precious.hash)).toBe('precious');
  });
}
