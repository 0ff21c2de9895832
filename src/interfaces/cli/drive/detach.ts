import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makePrivateFolder, shellWord } from '../../../base/index.ts';
import type { Piton } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanText } from '../output/index.ts';

const lookEveryMs = 20;
const longestErrorBytes = 20_000;

export interface Detaching {
  readonly run: string;
  /** Added to what this process was called with. */
  readonly args?: readonly string[];
}

/**
 * Leaves a driver in the background, in a session of its own, that does what this process was asked to do; what it says
 * goes to a log. Comes back when it drives the run, or has ended.
 */
export async function detach(context: Context, { run, args = [] }: Detaching): Promise<ExitCode> {
  const log = openLog(context, run);
  const child = startDriver(context, args, log.descriptor);
  closeSync(log.descriptor);
  const code = await drivesOrEnded(await context.open(), run, child);
  child.unref();
  const { output } = context;
  output.json({ run, pid: child.pid, log: log.file, ...(code !== undefined && { exitCode: code }) }, true);
  return code === undefined ? sayDriven(context, run, log) : sayEnded(context, log, code);
}

function sayDriven({ output }: Context, run: string, { file }: Log): ExitCode {
  output.print(`Run ${run} goes on in the background. What its driver says: ${file}`);
  output.next(`piton attach ${shellWord(run)}`);
  return exitCodes.done;
}

/** It was refused, or ended before anybody could look: what it said is all there is to say. */
function sayEnded({ output }: Context, log: Log, code: ExitCode): ExitCode {
  output.note(`It has ended in the background already, with exit code ${code}:`);
  output.note(readFrom(log));
  return code;
}

interface Log {
  readonly file: string;
  readonly descriptor: number;
  /** Where what is new begins. */
  readonly start: number;
}

function openLog({ config }: Context, run: string): Log {
  makePrivateFolder(config.logs);
  const file = join(config.logs, `${run.replaceAll(/[^\w.-]/g, '_')}.log`);
  const descriptor = openSync(file, 'a', 0o600);
  return { file, descriptor, start: statSync(file).size };
}

function startDriver(
  { program: [file = '', ...first], argv, env, directory }: Context,
  added: readonly string[],
  log: number,
): ChildProcess {
  const kept = argv.filter((arg) => arg !== '--detach' && arg !== '--json');
  // After `--` nothing is an option any more.
  const end = kept.includes('--') ? kept.indexOf('--') : kept.length;
  const args = kept.toSpliced(end, 0, ...added);
  return spawn(file, [...first, ...args], {
    cwd: directory,
    env,
    detached: true,
    stdio: ['ignore', log, log],
  });
}

/** The exit code if it has ended, undefined when it drives the run. */
async function drivesOrEnded(piton: Piton, run: string, child: ChildProcess): Promise<ExitCode | undefined> {
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  for (;;) {
    if (failure !== undefined) throw failure;
    if (child.exitCode !== null || child.signalCode !== null)
      return (child.exitCode ?? exitCodes.failed) as ExitCode;
    const driver = await piton.driver(run);
    if (driver?.alive === true && driver.pid === child.pid) return undefined;
    await pause(lookEveryMs);
  }
}

function readFrom({ file, start }: Log): string {
  return cleanText(readFileSync(file).subarray(start).subarray(-longestErrorBytes).toString('utf8')).trim();
}
