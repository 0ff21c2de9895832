import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { pitonProgram } from '../base/index.ts';
import { assertRunId, type Piton } from '../library/index.ts';
import { DriverLog } from './driver-log.ts';
import type { Surroundings } from './surroundings.ts';

const lookEveryMs = 20;

/** Which run a driver in the background is to be started for, and how. */
export interface DriverOrder {
  /** Which it is to drive, by its whole id. */
  readonly run: string;
  /** Whether the run may be begun by that. If somebody drives it already, that is as good. */
  readonly begins?: boolean;
  /** As piton takes them: `['resume', run]`. */
  readonly args: readonly string[];
  /** What starts piton, before its arguments; default: this one. */
  readonly program?: readonly string[];
  /** Given to it as its input. */
  readonly input?: string;
}

/** A process in the background that drives a run, or has done so. */
export interface DriverProcess {
  readonly run: string;
  /** If the run was driven already, that of whoever does so. */
  readonly pid: number;
  /** The file that holds what drivers of the run say in the background. */
  readonly log: string;
  /** If it has ended already: it was refused (exit codes 2 and 4), or the run was short. `said`: its last words, for people. */
  readonly ended?: { readonly exitCode: number; readonly said: string };
}

interface Starting extends Surroundings {
  open(): Promise<Piton>;
  openExisting(): Promise<Piton>;
}

/** In a session of its own. Comes back when it drives the run, or has ended. Throws `RUN_ID_INVALID`, `NO_PROJECT`, `RUN_NOT_FOUND`, `FOLDER_UNSAFE`. */
export async function startDriver(project: Starting, order: DriverOrder): Promise<DriverProcess> {
  const { run, begins = false } = order;
  assertRunId(run);
  // First: what keeps the store from being opened would keep the driver from it too.
  const piton = begins ? await project.open() : await project.openExisting();
  try {
    // The command line would take another one whose id begins so.
    if (!begins) await piton.find(run);
    const log = new DriverLog(project.config.logs, run);
    try {
      return await driverOn(piton, log, { project, order });
    } finally {
      log.close();
    }
  } finally {
    await piton.close();
  }
}

async function driverOn(
  piton: Piton,
  log: DriverLog,
  { project, order }: { readonly project: Surroundings; readonly order: DriverOrder },
): Promise<DriverProcess> {
  const { run, begins = false } = order;
  const found = { run, log: log.file };
  const other = begins ? await livingDriver(piton, run) : undefined;
  if (other !== undefined) return { ...found, pid: other };
  const child = spawnDriver(project, order, log.descriptor);
  child.unref();
  const { exitCode, pid } = await drivesOrEnded(piton, order, child);
  // Somebody was quicker: it would only watch, for as long as the run goes on.
  if (exitCode === undefined && pid !== child.pid) child.kill();
  return { ...found, pid, ...(exitCode !== undefined && { ended: { exitCode, said: log.read() } }) };
}

async function livingDriver(piton: Piton, run: string): Promise<number | undefined> {
  const driver = await piton.driver(run);
  return driver?.alive === true ? driver.pid : undefined;
}

function spawnDriver(
  { directory, env }: Surroundings,
  { program = [process.execPath, pitonProgram], args, input }: DriverOrder,
  log: number,
): ChildProcess {
  const [file = '', ...first] = program;
  const child = spawn(file, [...first, ...args], {
    cwd: directory,
    env,
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', log, log],
  });
  // One that ends without reading it is told by its exit code.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  return child;
}

interface Outcome {
  /** Of whoever drives the run, or of the one that was started. */
  readonly pid: number;
  /** If that has ended. */
  readonly exitCode?: number;
}

async function drivesOrEnded(
  piton: Piton,
  { run, begins = false }: DriverOrder,
  child: ChildProcess,
): Promise<Outcome> {
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  for (;;) {
    if (failure !== undefined) throw failure;
    const own = child.pid!;
    if (child.exitCode !== null || child.signalCode !== null)
      return { pid: own, exitCode: child.exitCode ?? 1 };
    const pid = await livingDriver(piton, run);
    if (pid !== undefined && (begins || pid === own)) return { pid };
    await pause(lookEveryMs);
  }
}
