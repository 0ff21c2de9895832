/**
 * Drives the run `run` of `flow.yaml` in each folder to its end, starting it or going on with it, whatever it finds.
 * Prints `driving`, and at last `ended <status>` or `refused <code>`, folder by folder unless all are driven at once.
 */
import { join } from 'node:path';
import { loadWorkflow, open, PitonError } from '../../../src/index.ts';

export interface CommandOrders {
  readonly folders: readonly string[];
  readonly isAtOnce?: boolean;
  /** With a mirror beside the store. */
  readonly isMirrored?: boolean;
  /**
   * A driver that has lost its run notices it by then at the latest. Default so long that no lease ever runs out: taking it
   * over takes the same commits, however long a busy machine takes.
   */
  readonly leaseMs?: number;
  /** How long an agent that has told its result may take to end. */
  readonly lingerMs?: number;
}

const orders = JSON.parse(process.argv[2]!) as CommandOrders;
const { folders, isAtOnce = false, isMirrored = false, leaseMs = 600_000, lingerMs = 30_000 } = orders;

// Each listens for the signal to stop.
process.setMaxListeners(0);

if (isAtOnce) await Promise.all(folders.map(driveOne));
else for (const folder of folders) await driveOne(folder);

async function driveOne(folder: string): Promise<void> {
  try {
    console.log(`ended ${await driveToEnd(folder)}`);
  } catch (error) {
    if (!(error instanceof PitonError)) throw error;
    console.log(`refused ${error.code}`);
  }
}

async function driveToEnd(folder: string): Promise<string> {
  const piton = await open({
    store: `sqlite:${join(folder, 'piton.db')}`,
    durability: 'process',
    graceMs: 500,
    leaseMs,
    lingerMs,
    ...(isMirrored && { mirror: join(folder, 'mirror') }),
  });
  const stop = (): void => void piton.close();
  try {
    process.once('SIGTERM', stop);
    const definition = await loadWorkflow(join(folder, 'flow.yaml'));
    const run = await piton.start(definition, { id: 'run', origin: { directory: folder } });
    console.log('driving');
    const held = Promise.withResolvers<string>();
    piton.observe(({ type }) => {
      if (type === 'task.held' || type === 'gate.opened') held.resolve('held');
    });
    if ((await run.status()) === 'held') return 'held';
    return await Promise.race([held.promise, run.result().then(({ status }) => status)]);
  } finally {
    process.off('SIGTERM', stop);
    await piton.close();
  }
}
