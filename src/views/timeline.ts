import type { RunEvent } from '../model/index.ts';
import { Attempts, type AttemptView } from './attempts.ts';

/** What ran when, who drove it, and what became of the work of those that died. */
export interface Timeline {
  readonly drives: readonly DriveView[];
  /** Times in which nobody drove the run, though it had not ended. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  readonly attempts: readonly AttemptView[];
}

/** The time that one process drove the run. */
export interface DriveView {
  readonly epoch: number;
  readonly host: string;
  readonly pid: number;
  readonly from: number;
  /** Of its last commit. */
  readonly to: number;
  /** `last`: nobody has come after it. `died`: it left attempts under way. */
  readonly end: 'last' | 'let-go' | 'died';
  /** The attempts that it left under way, and what the next driver made of each. */
  readonly left: readonly LeftAttempt[];
}

export interface LeftAttempt {
  readonly attempt: string;
  readonly task: string;
  /** `adopted`: it was alive, and went on. `harvested`: it had ended, and its result was taken. `never-began`: nothing was done. */
  readonly fate: 'adopted' | 'harvested' | 'interrupted' | 'never-began' | 'unknown';
}

interface OpenDrive extends Omit<DriveView, 'end' | 'left' | 'to'> {
  to: number;
  left?: readonly string[];
}

/** Of a whole journal, or of its beginning. */
export function timelineOf(events: Iterable<RunEvent>): Timeline {
  const attempts = new Attempts();
  const running = new Set<string>();
  const drives: OpenDrive[] = [];
  for (const event of events) {
    attempts.add(event);
    const last = drives.at(-1);
    if (event.type === 'lease.taken') {
      if (last !== undefined) last.left = [...running];
      const { epoch, host, pid } = event.data;
      drives.push({ epoch, host, pid, from: event.at, to: event.at });
    } else if (last !== undefined) last.to = event.at;
    if (event.type === 'attempt.started') running.add(event.attempt);
    if (event.type === 'attempt.ended') running.delete(event.attempt);
  }
  const views = drives.map((drive) => driveView(drive, attempts));
  return { drives: views, gaps: gapsBetween(views), attempts: attempts.list() };
}

function driveView({ left, ...drive }: OpenDrive, attempts: Attempts): DriveView {
  if (left === undefined) return { ...drive, end: 'last', left: [] };
  const found = left.map((id) => leftAttempt(attempts.get(id)!));
  return { ...drive, end: left.length > 0 ? 'died' : 'let-go', left: found };
}

function leftAttempt(view: AttemptView): LeftAttempt {
  return { attempt: view.attempt, task: view.task, fate: fateOf(view) };
}

function fateOf({ recovered, outcome, neverBegan }: AttemptView): LeftAttempt['fate'] {
  if (neverBegan === true) return 'never-began';
  if (recovered?.includes('adopted') === true) return 'adopted';
  if (outcome === 'interrupted') return 'interrupted';
  return recovered === undefined ? 'unknown' : 'harvested';
}

function gapsBetween(drives: readonly DriveView[]): { readonly from: number; readonly to: number }[] {
  return drives
    .slice(1)
    .map(({ from }, index) => ({ from: drives[index]!.to, to: from }))
    .filter(({ from, to }) => to > from);
}
