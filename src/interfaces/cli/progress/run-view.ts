import type { Json } from '../../../base/index.ts';
import type { EventOf, RunStatus, TaskSpec, TaskStatus, Workflow } from '../../../model/index.ts';
import { UsageTally, type AskedCall } from '../conversation/index.ts';

/** What is shown of one task. */
export interface TaskLine {
  readonly address: string;
  readonly spec: TaskSpec;
  status: TaskStatus;
  /** The attempt under way, or the last one. */
  attempt?: RunningAttempt;
  /** How the last attempt ended that came to no end of its own. */
  broken?: 'interrupted' | 'never-began';
  /** Of the last attempt, with the checks and revisions that belong to it. */
  tookMs?: number;
  /** Of an agent: its last message or tool call in this attempt. */
  lastWord?: string;
  /** How often an agent was sent back by its check. */
  revisions?: number;
  /** It was sent back because its work does not fit to that of others. */
  isFitting?: boolean;
  /** The tool call that an agent asks for, or was last allowed or refused. */
  asked?: AskedCall;
  reason?: string;
  until?: number;
  actions?: readonly string[];
  /** It consists of other tasks, which are counted in its stead. */
  isGroup: boolean;
}

export interface RunningAttempt {
  readonly id: string;
  readonly number: number;
  readonly startedAt: number;
  /** Its name, if it is one. */
  readonly agent?: string;
  /** Absent: the work itself. */
  readonly kind?: NonNullable<EventOf<'attempt.started'>['data']['kind']>;
  /** The tries at the work so far, and the number of the last: setups, checks and the like are none. */
  readonly tries: number;
  readonly lastTry: number;
  /** The one before it was interrupted. */
  readonly isAgain: boolean;
}

/** What is known of a run from its events alone. `foldEvent` changes it in place; everybody else only reads it. */
export interface RunView {
  readonly run: string;
  workflow?: Workflow;
  status: RunStatus;
  reason?: string;
  /** What it gave back. */
  outputs?: Json;
  createdAt: number;
  /** When whoever drives it now began to. */
  drivenSince: number;
  /** Of the last event. */
  at: number;
  seq: number;
  readonly lines: Map<string, TaskLine>;
  /** Resources whose breaker is open, and until when. */
  readonly breakers: Map<string, number>;
  /** The branch that holds what its tasks have made. */
  branch?: string;
  /** What that began from. */
  base?: string;
  /** Something was brought to it. */
  hasWork?: boolean;
  /** That was merged, or is in a pull request. */
  isDelivered?: boolean;
  /** How often a graph has come to a node, by its address. */
  readonly visits: Map<string, number>;
  /** What whoever drives it now has found, by address. */
  found: Found;
  /** Attempts that came to their end, for estimates. */
  readonly ended: { count: number; totalMs: number };
  /** Of tasks that do not consist of others. */
  readonly counts: Record<TaskStatus | 'total', number>;
  mostRunning: number;
  /** Of agents. */
  readonly usage: UsageTally;
  /** Versions of agents that were not tested, in words, and the first attempt with each. */
  readonly untested: Map<string, string>;
  /** By what processes are contained, or why not, and the first attempt with each. */
  readonly sandboxes: Map<string, string>;
}

export interface Found {
  /** Settled when the driver came: it did not touch them. */
  readonly settledBefore: number;
  readonly adopted: Set<string>;
  readonly harvested: Set<string>;
  readonly restarted: Set<string>;
}

export function newRunView(run: string): RunView {
  return {
    run,
    status: 'running',
    createdAt: 0,
    drivenSince: 0,
    at: 0,
    seq: 0,
    lines: new Map(),
    breakers: new Map(),
    visits: new Map(),
    found: nothingFound(0),
    ended: { count: 0, totalMs: 0 },
    counts: {
      pending: 0,
      queued: 0,
      running: 0,
      delayed: 0,
      held: 0,
      succeeded: 0,
      failed: 0,
      skipped: 0,
      cancelled: 0,
      total: 0,
    },
    mostRunning: 0,
    usage: new UsageTally(),
    untested: new Map(),
    sandboxes: new Map(),
  };
}

export function nothingFound(settledBefore: number): Found {
  return { settledBefore, adopted: new Set(), harvested: new Set(), restarted: new Set() };
}

export function isSettled(status: TaskStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'skipped' || status === 'cancelled';
}

export type Counts = Readonly<Record<TaskStatus | 'settled' | 'total', number>>;

/** Of the tasks known so far, those left out that consist of others. */
export function countTasks({ counts }: RunView): Counts {
  const { succeeded, failed, skipped, cancelled } = counts;
  return { ...counts, settled: succeeded + failed + skipped + cancelled };
}

export function addLine(view: RunView, address: string, spec: TaskSpec): void {
  view.lines.set(address, { address, spec, status: 'pending', isGroup: false });
  count(view, 'pending', +1);
}

export function removeLine(view: RunView, { address, status, isGroup }: TaskLine): void {
  view.lines.delete(address);
  if (!isGroup) count(view, status, -1);
}

export function setStatus(view: RunView, line: TaskLine, status: TaskStatus): void {
  if (!line.isGroup) {
    count(view, line.status, -1);
    count(view, status, +1);
  }
  line.status = status;
}

export function setGroup(view: RunView, line: TaskLine, isGroup: boolean): void {
  if (line.isGroup === isGroup) return;
  line.isGroup = isGroup;
  count(view, line.status, isGroup ? -1 : +1);
}

function count({ counts }: RunView, status: TaskStatus, by: 1 | -1): void {
  counts[status] += by;
  counts.total += by;
}

/** The run can only go on when a person has decided something. To be asked between two commits. */
export function waitsForPerson(view: RunView): boolean {
  const { running, delayed, held } = countTasks(view);
  return view.status === 'running' && held > 0 && running === 0 && delayed === 0;
}
