import { readlinkSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { isatty } from 'node:tty';
import { insideOf, randomId } from '../base/index.ts';
import type { Command, Sender } from '../model/index.ts';
import { findRun } from './chain.ts';
import { assertNotBehind } from './lost-end.ts';
import type { EnginePorts } from './options.ts';

/** Puts a command into the inbox, with who sends it. Gives its id. Throws `RUN_BEHIND`, `RUN_NOT_FOUND`. */
export async function sendCommand(ports: EnginePorts, run: string, command: Command): Promise<string> {
  const { store, clock, environment } = ports;
  await assertNotBehind(ports, await findRun(store, run));
  const id = randomId();
  const sender = senderHere(environment);
  await store.sendCommand({ id, run, at: clock.now(), command: { ...command, sender } });
  return id;
}

/** Whoever this process acts for, for the journal. */
export function senderHere(environment: Readonly<Record<string, string | undefined>>): Sender {
  const terminal = terminalHere();
  const [attempt] = insideOf(environment);
  return {
    user: userHere(),
    host: hostname(),
    pid: process.pid,
    ...(terminal !== undefined && { terminal }),
    ...(attempt !== undefined && { attempt }),
  };
}

function userHere(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry, as in containers.
    return `user ${process.getuid?.() ?? '?'}`;
  }
}

function terminalHere(): string | undefined {
  const stream = [0, 1, 2].find((descriptor) => isatty(descriptor));
  if (stream === undefined) return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${stream}`);
  } catch {
    return 'a terminal';
  }
}
