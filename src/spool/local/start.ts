import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import {
  crashPoint,
  findTool,
  identityOf,
  isExecutable,
  ownIdentity,
  PitonError,
  type ProcessIdentity,
} from '../../base/index.ts';
import { childEnvironment } from './environment.ts';
import { codeOf, files } from '../layout.ts';
import { leftOpen } from './left-open.ts';
import { isContained, type SpoolOrder } from '../order.ts';
import { watcherRoundMs, watcherText, wrapperText } from '../wrapper.ts';

export interface Start {
  readonly folder: string;
  readonly order: SpoolOrder;
  readonly graceMs: number;
  readonly shell: string;
  /** For its exit record, if the command fails and if it passes; that must never know them. */
  readonly nonces: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly process: ProcessIdentity;
}

/** If this rejects, nothing has begun: the wrapper itself could not be started. */
export async function startWrapper(start: Start): Promise<Started> {
  const opened: number[] = [];
  try {
    for (const name of [files.stdout, files.stderr]) {
      opened.push(openSync(join(start.folder, name), constants.O_WRONLY | constants.O_APPEND));
    }
    if (start.order.input !== undefined) opened.unshift(openSync(join(start.folder, files.input), 'r'));
    return await spawnWrapper(start, opened);
  } catch (cause) {
    throw notStarted(start, cause);
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

async function spawnWrapper(start: Start, streams: readonly number[]): Promise<Started> {
  const { order, shell } = start;
  const stdio = streams.length === 3 ? streams : (['ignore', ...streams] as const);
  const covers = isContained(order) ? coversFrom(4, streams.at(-1)!) : [];
  const child = spawn(
    shell,
    [
      '-c',
      'eval "$PITON_WRAPPER"',
      'piton',
      ...wrapperArguments(start),
      ...(order.sandbox?.words ?? []),
      ...order.argv,
    ],
    {
      cwd: order.directory,
      env: { ...childEnvironment(order, resultFile(start)), ...textsFor(order) },
      // Its own session: neither a signal from the terminal nor our end reaches it.
      detached: true,
      stdio: [...stdio, 'pipe', ...covers],
    },
  );
  // Asked at once: until the event loop turns, even one that has ended already can be seen.
  const process = identityOfChild(child);
  giveNonces(child, start.nonces);
  child.unref();
  await once(child, 'spawn');
  return { child, process };
}

/** For what was left open to us: something of its own instead, from that descriptor on. */
function coversFrom(first: number, cover: number): (number | 'ignore')[] {
  const open = leftOpen().filter((descriptor) => descriptor >= first);
  const count = Math.max(first - 1, ...open) - first + 1;
  return Array.from({ length: count }, (_, index) => (open.includes(first + index) ? cover : 'ignore'));
}

function resultFile({ folder, order }: Start): string {
  return join(folder, isContained(order) ? files.ownResult : files.result);
}

/** By a pipe: the environment and the arguments of processes can be read by others. If we die before, it ends too. */
function giveNonces({ stdio }: ChildProcess, nonces: string): void {
  const pipe = stdio[3] as Socket;
  // It may have ended already, which is seen where its end is waited for.
  pipe.on('error', () => {});
  crashPoint('spool:before-nonce');
  pipe.write(`${nonces}\n`);
  pipe.destroySoon();
}

/** Never throws, since the wrapper may have begun. Without a start time it is known only by what it writes itself. */
function identityOfChild({ pid = 0 }: ChildProcess): ProcessIdentity {
  const nameless = { ...ownIdentity(), pid, startTime: '' };
  try {
    return identityOf(pid) ?? nameless;
  } catch {
    return nameless;
  }
}

/** The wrapper takes them out of the environment before the command begins. */
function textsFor({ timeoutMs }: SpoolOrder): Record<string, string> {
  return { PITON_WRAPPER: wrapperText, ...(timeoutMs !== undefined && { PITON_WATCHER: watcherText }) };
}

function wrapperArguments({ folder, order, graceMs, shell }: Start): string[] {
  const { timeoutMs } = order;
  return [
    folder,
    order.attempt,
    shell,
    toolPath('mkdir'),
    toolPath('sleep'),
    timeoutMs === undefined ? '' : (timeoutMs / 1000).toFixed(3),
    String(Math.ceil(graceMs / watcherRoundMs)),
  ];
}

/** By their paths, since the command's PATH may lead elsewhere or nowhere. */
function toolPath(name: string): string {
  return findTool(name, process.env['PATH']) ?? name;
}

function notStarted({ order, shell }: Start, cause: unknown): PitonError {
  const { task, number, directory, attempt } = order;
  const { reason, remedy } = reasonOf(cause, { directory, shell });
  const message = `Attempt ${number} of task '${task}' could not be started: ${reason}.`;
  return new PitonError('COMMAND_NOT_STARTED', message, { task, attempt, directory, remedy, cause });
}

function reasonOf(cause: unknown, { directory, shell }: { directory: string; shell: string }) {
  const code = codeOf(cause);
  if (!isFolder(directory)) {
    return {
      reason: `the folder ${directory} does not exist`,
      remedy: 'Create it, or correct working-directory.',
    };
  }
  if (code === 'E2BIG') {
    return {
      reason: 'its command line and environment are larger than the system allows',
      remedy: 'Put long text into a file and pass the name of the file.',
    };
  }
  if (code === 'ENOENT' && !isExecutable(shell)) {
    return { reason: `there is no shell at ${shell}`, remedy: 'Piton needs a POSIX shell.' };
  }
  const text = cause instanceof Error ? cause.message : String(cause);
  return { reason: text, remedy: 'Nothing has begun, so it can be tried again.' };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
