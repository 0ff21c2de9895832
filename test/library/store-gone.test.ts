/** Somebody deletes the project while its run is driven: SQLite would go on writing to a file that nobody can find. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open, workflow } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function whileDeleted(task: (signal: AbortSignal) => Promise<void>): Promise<string[]> {
  const root = temporaryFolder();
  const folder = join(root, 'project');
  const piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process' });
  const began = Promise.withResolvers<void>();
  const begun: string[] = [];
  const definition = workflow('flow')
    .task('first', async ({ signal }) => {
      begun.push('first');
      began.resolve();
      await task(signal);
    })
    .task('next', { needs: ['first'] }, async () => void begun.push('next'));
  const run = await piton.start(definition, { id: 'r1' });
  await began.promise;
  rmSync(folder, { recursive: true });
  await expect(run.result()).rejects.toMatchObject({ code: 'STORE_GONE' });
  await piton.close().catch(() => undefined);
  expect(existsSync(join(folder, 'piton.db'))).toBe(false);
  return begun;
}

test('a driver that waits hears of it, and ends', async () => {
  const begun = await whileDeleted(
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  );
  expect(begun).toEqual(['first']);
});

test('nothing follows on what cannot be written', async () => {
  const begun = await whileDeleted(async () => {
    // What is deleted is seen when this ends.
    await new Promise((resolve) => setImmediate(resolve));
  });
  expect(begun).toEqual(['first']);
});
