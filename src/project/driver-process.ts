import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cleanText, makePrivateFolder, pitonProgram } from '../base/index.ts';
import type { Piton } from '../library/index.ts';
import type { Surroundings } from './surroundings.ts';

const lookEveryMs = 20;
const longestWordsBytes = 20_000;

export interface DriverOrder {
  /** Which it is to drive. */
  readonly run: string;
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
  readonly pid: number;
  /** The file that holds what it says. */
  readonly log: string;
  /** If it has ended already: it was refused, or the run was short. */
  readonly ended?: { readonly exitCode: number; readonly said: string };
}

interface Starting extends Surroundings {
  open(): Promise<Piton>;
}

/** In a session of its own. Comes back when it drives the run, or has ended. */
export async function startDriver(project: Starting, order: DriverOrder): Promise<DriverProcess> {
  const { run } = order;
  // First: what keeps the store from being opened would keep the driver from it too.
  const piton = await project.open();
  try {
    const log = openLog(project.config.logs, run);
    const child = spawnDriver(project, order, log.descriptor);
    closeSync(log.descriptor);
    const exitCode = await drivesOrEnded(piton, run, child);
    child.unref();
    const driver = { run, pid: child.pid!, log: log.file };
    return exitCode === undefined ? driver : { ...driver, ended: { exitCode, said: readFrom(log) } };
  } finally {
    await piton.close();
  }
}

interface Log {
  readonly file: string;
  readonly descriptor: number;
  /** Where what is new begins. */
  readonly start: number;
}

function openLog(folder: string, run: string): Log {
  makePrivateFolder(folder);
  const file = join(folder, `${run.replaceAll(/[^\w.-]/g, '_')}.log`);
  const descriptor = openSync(file, 'a', 0o600);
  return { file, descriptor, start: statSync(file).size };
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

/** The exit code if it has ended, undefined when it drives the run. */
async function drivesOrEnded(piton: Piton, run: string, child: ChildProcess): Promise<number | undefined> {
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  for (;;) {
    if (failure !== undefined) throw failure;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? 1;
    const driver = await piton.driver(run);
    if (driver?.alive === true && driver.pid === child.pid) return undefined;
    await pause(lookEveryMs);
  }
}

function readFrom({ file, start }: Log): string {
  return cleanText(readFileSync(file).subarray(start).subarray(-longestWordsBytes).toString('utf8')).trim();
}
