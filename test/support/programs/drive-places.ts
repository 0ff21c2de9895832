/**
 * Drives the run `run` of `.piton/workflows/flow.yaml` in each folder to its end, starting it or going on with it, whatever it
 * finds. A conflict that waits for a person is solved: the file gets the lines of both. Prints `driving`, `settled <task>`,
 * and at last `ended <status>`, `held <why>` or `refused <code>`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadWorkflow, open, PitonError, type Piton, type Run } from '../../../src/index.ts';

export interface PlaceOrders {
  readonly folders: readonly string[];
  readonly id?: string;
  /** Where the store is. Default: in `.piton` of the folder. */
  readonly state?: string;
}

const { folders, id = 'run', state } = JSON.parse(process.argv[2]!) as PlaceOrders;

for (const folder of folders) {
  try {
    console.log(await driveToEnd(folder));
  } catch (error) {
    if (!(error instanceof PitonError)) throw error;
    console.log(`refused ${error.code}: ${error.message}`);
  }
}

async function driveToEnd(folder: string): Promise<string> {
  const store = `sqlite:${join(state ?? join(folder, '.piton'), 'piton.db')}`;
  await using piton = await open({ store, durability: 'process', graceMs: 500 });
  const definition = await loadWorkflow(join(folder, '.piton/workflows/flow.yaml'));
  const run = await piton.start(definition, { id, origin: { directory: folder } });
  console.log('driving');
  const stuck = tend(piton, run);
  const ended = run.result().then(({ status }) => `ended ${status}`);
  return await Promise.race([stuck, ended]);
}

/** Resolves only if it cannot go on. */
function tend(piton: Piton, run: Run): Promise<string> {
  const stuck = Promise.withResolvers<string>();
  const look = (): void =>
    void solveAll(run).then((why) => why === undefined || stuck.resolve(why), stuck.reject);
  piton.observe((event) => {
    if (event.type === 'task.held') look();
    if (event.type === 'task.succeeded') console.log(`settled ${event.task}`);
  });
  look();
  return stuck.promise;
}

async function solveAll(run: Run): Promise<string | undefined> {
  const { tasks } = await run.checkpoint();
  for (const [name, { status, isConflicting, reason, workspace }] of Object.entries(tasks)) {
    if (status !== 'held') continue;
    if (isConflicting !== true) return `held ${name}: ${reason}`;
    solve(join(workspace!.path, 'a.txt'));
    await run.retry(name);
  }
  return undefined;
}

function solve(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(
    file,
    lines.filter((line) => !/^(<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)/.test(line)).join('\n'),
  );
}
