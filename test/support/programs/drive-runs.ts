/**
 * Drives the run `run` of each folder to its end, one after the other, starting or resuming it, whatever it finds.
 * Prints `driving`, `settled <task>`, and at last `ended <status>` or `refused <code>`.
 */
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { open, PitonError, type Piton, type Run } from '../../../src/index.ts';
import { Course } from '../course.ts';
import { leaveTrace } from '../executions.ts';
import { shapes, type Hands, type Shape, type ShapeName } from '../shapes.ts';

export interface DriveOrders {
  readonly shape: ShapeName;
  readonly folders: readonly string[];
  /** Default `start`, which attaches to a run that is there. A paused run is resumed in either case: nothing else ends a pause. */
  readonly verb?: 'start' | 'resume';
  /** Default so long that none ever runs out: taking it over takes the same commits, however long a busy machine takes. */
  readonly leaseMs?: number;
  /** Also writes every commit to the folder `mirror`. */
  readonly mirrored?: boolean;
  /** Default `process`: nobody pulls the plug here. */
  readonly durability?: 'full';
  /** Kills itself in the n-th task it runs. */
  readonly dieInTask?: number;
  /** Prints `ready` with the store opened, and touches the run when it is sent a line. */
  readonly awaitsGo?: boolean;
}

/** Tasks of these end one after the other, each once the one before is committed: every run has the same commits. */
const inTurn: ReadonlySet<ShapeName> = new Set(['wide fan-out', 'for-each', 'nested chain and parallel']);

const orders = JSON.parse(process.argv[2]!) as DriveOrders;
let tasksRun = 0;

for (const folder of orders.folders) {
  try {
    console.log(`ended ${await driveToEnd(folder)}`);
  } catch (error) {
    if (!(error instanceof PitonError)) throw error;
    console.log(`refused ${error.code}`);
  }
}

/** A pause ends when nothing runs any more and the run is resumed, as by a person who comes back the next day. */
async function driveToEnd(folder: string): Promise<string> {
  for (;;) {
    const course = new Course();
    const piton: Piton = await open({
      store: `sqlite:${join(folder, 'piton.db')}`,
      durability: orders.durability ?? 'process',
      observers: [
        (observation) => course.follow(observation),
        (observation) => {
          if (observation.type === 'gate.opened') void piton.find('run').then(answerAll);
        },
      ],
      leaseMs: orders.leaseMs ?? 600_000,
      ...(orders.mirrored === true && { mirror: join(folder, 'mirror') }),
    });
    try {
      const run = await begin(piton, folder, handsOf(folder, piton, course));
      const status = await Promise.race([course.rested, endOf(run)]);
      if (status !== 'paused') return status;
    } finally {
      await piton.close();
    }
  }
}

async function begin(piton: Piton, directory: string, hands: Hands): Promise<Run> {
  const { definition, inputs }: Shape = shapes[orders.shape](hands);
  if (orders.awaitsGo === true) await go();
  const run =
    orders.verb === 'resume' || (await isPaused(piton))
      ? await piton.resume(definition, 'run')
      : await piton.start(definition, {
          id: 'run',
          origin: { directory },
          ...(inputs !== undefined && { inputs }),
        });
  console.log('driving');
  await answerAll(run);
  return run;
}

/** As a person would who looks into the inbox, again and again. What has a deadline is left to it. */
async function answerAll(run: Run): Promise<void> {
  const { tasks } = await run.checkpoint();
  for (const [task, { question, gate }] of Object.entries(tasks)) {
    if (question === undefined || gate === undefined || question.until !== undefined) continue;
    await run.answer(task, question.choices?.[0] ?? 8080, { gate });
  }
}

async function isPaused(piton: Piton): Promise<boolean> {
  const paused = await piton.runs({ status: ['paused'] });
  return paused.length > 0;
}

async function go(): Promise<void> {
  console.log('ready');
  await once(process.stdin, 'data');
  process.stdin.destroy();
}

async function endOf(run: Run): Promise<string> {
  return (await run.result()).status;
}

function handsOf(folder: string, piton: Piton, course: Course): Hands {
  const command = async (send: (run: Run) => Promise<unknown>): Promise<void> => {
    await send(await piton.find('run'));
  };
  return {
    async ran(context) {
      leaveTrace(folder, context);
      if (++tasksRun === orders.dieInTask) die();
      if (inTurn.has(orders.shape)) await course.turnOf(context.task);
    },
    pauseRun: () => command((run) => run.pause()),
    cancelRun: () => command((run) => run.cancel('enough')),
    async gate(name, signal) {
      while (!existsSync(join(folder, `gate-${name}`))) await pause(5, undefined, { signal });
    },
  };
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error('not reached');
}
