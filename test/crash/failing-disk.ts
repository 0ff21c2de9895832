/** Each call that the spool makes fails once: the exit record decides, and nothing runs twice. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../src/base/index.ts';
import { loadWorkflow, open, PitonError, type Run } from '../../src/index.ts';
import { executionsOf, writeFlow } from '../support/commands.ts';
import { failingCalls } from '../support/failing-calls.ts';
import { unlike } from '../support/promises.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const began = Date.now();
const factor = 200;

/** Runs ahead, so that nobody waits for what is tried again later. */
const fast: Clock = {
  ...systemClock,
  now: () => began + (Date.now() - began) * factor,
  sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
};

/** Two commands, of which the second must not be interrupted. */
async function runIn(folder: string): Promise<unknown> {
  await using piton = await open({
    store: `sqlite:${join(folder, 'piton.db')}`,
    durability: 'full',
    clock: fast,
    leaseMs: 3_600_000 * factor,
  });
  const definition = await loadWorkflow(join(folder, 'flow.yaml'));
  const start = (): Promise<Run> => piton.start(definition, { id: 'run', origin: { directory: folder } });
  // What is refused in words is tried again, as a person would.
  const run = await start().catch((error: unknown) => {
    if (error instanceof PitonError && error.remedy !== undefined) return start();
    throw error;
  });
  const held = Promise.withResolvers<string>();
  piton.observe(({ type }) => type === 'task.held' && held.resolve('held'));
  return await Promise.race([
    held.promise,
    run.result().then(({ status, outputs }) => ({ status, outputs })),
  ]);
}

function newProject(root: string, name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFlow(folder, [{ name: 'a' }, { name: 'b', needs: ['a'], onInterrupt: 'ask' }]);
  return folder;
}

export interface DiskTrial {
  readonly codes: readonly string[];
  /** Which of the calls, by name. `isFirst`: the like of it was not made before. */
  isChosen(call: string, isFirst: boolean): boolean;
}

/** Made again and again while it waits: one of them is like another. */
export function isPolling(call: string): boolean {
  return /^readFileSync (exit|wrapper|attempt\.json)$/.test(call);
}

export async function harmDoneByCalls({ codes, isChosen }: DiskTrial): Promise<string[]> {
  const root = temporaryFolder();
  const undamaged = newProject(root, 'undamaged');
  let expected: unknown;
  const calls = await failingCalls({ path: '/spool' }, async () => void (expected = await runIn(undamaged)));
  const harm: string[] = calls.length < 30 ? [`only ${calls.length} calls were made`] : [];
  const made = new Set<string>();
  for (const [which, call] of calls.entries()) {
    const kind = call.replace(/ [a-z0-9]{16}$/, ' attempt');
    const isFirst = !made.has(kind);
    made.add(kind);
    for (const code of isChosen(call, isFirst) ? codes : []) {
      const folder = newProject(root, `${which}-${code}`);
      const name = `${code} at call ${which} (${call})`;
      await failingCalls({ path: '/spool', which, code }, async () => {
        harm.push(...unlike(expected, await runIn(folder), name));
      });
      harm.push(...unlike({ a: 1, b: 1 }, executionsOf(folder), name));
    }
  }
  return harm;
}
