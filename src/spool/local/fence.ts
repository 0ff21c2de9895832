import { setTimeout as pause } from 'node:timers/promises';
import { crashPoint, commandLineOf, isMonitor, systemClock, type ProcessEntry } from '../../base/index.ts';
import type { FenceResult } from '../contract.ts';
import { findMembers, isLiving, isWrapper, type Family } from './members.ts';

const pollMs = 10;

/** After SIGKILL a process is gone within milliseconds, unless it hangs in the kernel: then nobody can end it. */
const killRounds = 20;
const killRoundMs = 250;

/** So many rounds the wrapper is left alone: as soon as its command is gone, it writes how that ended. */
const wrapperRounds = 4;

/** Ends all processes of an attempt, politely first if there is a grace. */
export async function fenceFamily(family: Family, graceMs: number | undefined): Promise<FenceResult> {
  let living = findMembers(family);
  if (living.length === 0) return { ended: 0, survivors: [] };
  const seen = new Map(living.map((entry) => [`${entry.pid} ${entry.startTime}`, entry]));
  const lookAgain = (): ProcessEntry[] => {
    living = findMembers(family, [...seen.values()]);
    for (const entry of living) seen.set(`${entry.pid} ${entry.startTime}`, entry);
    return living;
  };
  if (graceMs !== undefined) await askToEnd(living, lookAgain, graceMs);
  crashPoint('spool:fence-between-term-and-kill');
  await kill(family, lookAgain);
  return { ended: seen.size - living.length, survivors: living.map(({ pid }) => pid) };
}

async function askToEnd(
  first: ProcessEntry[],
  lookAgain: () => ProcessEntry[],
  graceMs: number,
): Promise<void> {
  const until = systemClock.elapsed() + graceMs;
  const asked = new Set<number>();
  for (let living = first; living.length > 0 && systemClock.elapsed() < until; living = lookAgain()) {
    for (const { pid } of living.filter(({ pid }) => !asked.has(pid) && !isMonitor(pid))) {
      send(pid, isWatcher(pid) ? 'SIGALRM' : 'SIGTERM');
      // One that is stopped does not hear anything.
      send(pid, 'SIGCONT');
      asked.add(pid);
    }
    await untilGone(living, until);
  }
}

async function kill(family: Family, lookAgain: () => ProcessEntry[]): Promise<void> {
  for (let round = 0; round < killRounds; round++) {
    const living = lookAgain();
    if (living.length === 0) return;
    const doomed = living.filter((entry) => round >= wrapperRounds || !isWrapper(family, entry));
    for (const { pid } of doomed) send(pid, 'SIGKILL');
    if (doomed.length < living.length) for (const { pid } of living) send(pid, 'SIGCONT');
    await untilGone(living, systemClock.elapsed() + killRoundMs);
  }
  lookAgain();
}

async function untilGone(entries: readonly ProcessEntry[], until: number): Promise<void> {
  while (entries.some(isLiving) && systemClock.elapsed() < until) await pause(pollMs);
}

/** The watcher of a deadline is deaf to SIGTERM; SIGALRM ends it. With a number, since the wrapper's text has the name too. */
function isWatcher(pid: number): boolean {
  return / piton-watch \d+ /.test(commandLineOf(pid));
}

/** Gone in the meantime, or not ours to signal: both are seen when we look again. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    return;
  }
}
