/**
 * Drives the run `run` of `flow.yaml` to its end, starting it or going on with it. Agents get the environment given, and
 * nothing of this process. Prints `driving`, signs of life, and at last `ended <status>`.
 */
import { join } from 'node:path';
import { loadWorkflow, open } from '../../../src/index.ts';

export interface AgentOrders {
  /** Where `flow.yaml` is, and where the agents work. */
  readonly folder: string;
  readonly store: string;
  readonly spool: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Beyond what agents are given anyway. */
  readonly inheritEnv: readonly string[];
}

const { folder, ...options } = JSON.parse(process.argv[2]!) as AgentOrders;
const piton = await open({ ...options, durability: 'process', graceMs: 500 });
const signs = setInterval(() => console.log('alive'), 5_000);
try {
  const definition = await loadWorkflow(join(folder, 'flow.yaml'));
  const run = await piton.start(definition, { id: 'run', origin: { directory: folder } });
  console.log('driving');
  const held = Promise.withResolvers<string>();
  piton.observe(({ type }) => {
    if (type === 'task.held') held.resolve('held');
  });
  const isHeld = (await run.status()) === 'held';
  const status = isHeld
    ? 'held'
    : await Promise.race([held.promise, run.result().then((result) => result.status)]);
  console.log(`ended ${status}`);
} finally {
  clearInterval(signs);
  await piton.close();
}
