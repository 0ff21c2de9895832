import { readlinkSync } from 'node:fs';
import { open as openFile, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadWorkflow, open } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { writeFlow } from '../support/commands.ts';
import { openSpool } from './open-spool.ts';

/** The paths that this process syncs from now on, in order. They are synced all the same. */
async function watchSyncs(): Promise<string[]> {
  const handle = await openFile('/dev/null');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const synced: string[] = [];
  const { sync } = prototype;
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(function (this: FileHandle) {
    synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
    return sync.call(this);
  });
  onTestFinished(() => spy.mockRestore());
  return synced;
}

/** Which file a descriptor is of is told there alone. */
describe.runIf(process.platform === 'linux')('with the disk in view,', () => {
  test('what is prepared outlasts a loss of power: each file, the folder, and the folder it is in', async () => {
    const { spool, order } = openSpool({ durability: 'full' });
    const made = order('true', { input: 'a prompt', files: { 'order.json': '{}' } });
    const synced = await watchSyncs();
    await spool.prepare(made);
    const folder = spool.folderOf(made.attempt);
    for (const name of ['attempt.json', 'exit', 'wrapper', 'timed-out', 'input', 'order.json']) {
      expect(synced).toContain(join(folder, name));
    }
    expect(synced.slice(-2), 'names are in the folders, and come last').toEqual([folder, join(folder, '..')]);
  });

  test('what an end rests on is synced when it is asked for: all that was printed, and how it ended', async () => {
    const { spool, begin } = openSpool({ durability: 'full' });
    const { attempt, ended } = await begin('echo said; echo told >"$PITON_OUTPUT"');
    await ended();
    const synced = await watchSyncs();
    await spool.sync(attempt);
    const folder = spool.folderOf(attempt);
    expect(synced).toEqual([
      ...['stdout', 'stderr', 'output', 'exit'].map((name) => join(folder, name)),
      folder,
    ]);
  });

  test('nothing is synced where only the death of processes is to be survived', async () => {
    const { spool, begin } = openSpool({ durability: 'process' });
    const synced = await watchSyncs();
    const { attempt, ended } = await begin('true');
    await ended();
    await spool.sync(attempt);
    expect(synced).toEqual([]);
  });

  test('no end of a command is written down before its spool is on the disk', async () => {
    const folder = temporaryFolder();
    writeFlow(folder, [{ name: 'task' }]);
    const synced = await watchSyncs();
    await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'full' });
    let atTheEnd: string[] = [];
    piton.observe(({ type }) => {
      if (type === 'attempt.ended') atTheEnd = synced.map((path) => basename(path));
    });
    const run = await piton.start(await loadWorkflow(join(folder, 'flow.yaml')), {
      origin: { directory: folder },
    });
    expect(await run.result()).toMatchObject({ status: 'succeeded' });
    expect(atTheEnd).toContain('stdout');
  });
});
