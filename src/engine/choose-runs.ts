import { formatDuration } from '../base/index.ts';
import type { RunRecord, RunSize } from '../store/index.ts';

/** How a run can end. */
export type EndStatus = 'succeeded' | 'failed' | 'cancelled';

/** Which runs are to go. Without any limit none does. */
export interface PruneLimits {
  /** Only these, whatever their age or number. */
  readonly runs?: readonly string[];
  /** Only runs of this workflow. */
  readonly workflow?: string;
  /** Only runs that ended so. */
  readonly status?: readonly EndStatus[];
  /** Runs that were last changed before this time, in milliseconds since 1970. */
  readonly before?: number;
  /** The newest of each workflow stay, so many. If nothing else limits them, all others go. */
  readonly keep?: number;
  /** Then the oldest, until the store is not larger: first their payloads, then they themselves. Never what `keep` keeps. */
  readonly maxBytes?: number;
  /** Of runs last changed before this time, big values and transcripts go; their journals stay. */
  readonly payloadsBefore?: number;
}

/** What a choice is made from. */
export interface Choices {
  /** Runs that have ended. */
  readonly ended: readonly RunRecord[];
  /** Why runs have to stay, whatever the limits. */
  readonly needed: ReadonlyMap<string, string>;
  /** What each gives back. */
  readonly sizes: ReadonlyMap<string, RunSize>;
  /** What each gives back if only its payloads go; absent: nothing worth the while. */
  readonly gains: ReadonlyMap<string, number>;
  /** What the store takes now, without what is free in it. */
  readonly usedBytes: number;
  readonly now: number;
}

/** A run that is to go, or of which only the payloads are. */
export interface ChosenRun {
  readonly record: RunRecord;
  readonly what: 'run' | 'payloads';
  /** About what it gives back. */
  readonly bytes: number;
  readonly reason: string;
}

/** A run that stays, and why. */
export interface KeptRun {
  readonly run: string;
  readonly reason: string;
}

export interface Choice {
  /** The oldest first. */
  readonly chosen: readonly ChosenRun[];
  /** All others that have ended, and why each stays. */
  readonly kept: readonly KeptRun[];
}

/** What goes, and why everything else stays. A pure function: what a dry run shows is what is done. */
export function chooseRuns(limits: PruneLimits, choices: Choices): Choice {
  const asked = new Chooser(limits, choices);
  const ended = choices.ended.toSorted((a, b) => a.updatedAt - b.updatedAt || (a.run < b.run ? -1 : 1));
  for (const record of ended) asked.byLimits(record);
  if (limits.maxBytes !== undefined) asked.bySize(ended, limits.maxBytes);
  return asked.choice(ended);
}

class Chooser {
  readonly #limits: PruneLimits;
  readonly #choices: Choices;
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #newestGood: ReadonlySet<string>;
  readonly #chosen = new Map<string, ChosenRun>();
  readonly #kept = new Map<string, string>();
  #usedBytes: number;

  constructor(limits: PruneLimits, choices: Choices) {
    this.#limits = limits;
    this.#choices = choices;
    const newestFirst = choices.ended.toSorted(
      (a, b) => b.createdAt - a.createdAt || (a.run < b.run ? 1 : -1),
    );
    this.#ranks = ranksOf(newestFirst);
    this.#newestGood = newestGoodOf(newestFirst);
    this.#usedBytes = choices.usedBytes;
  }

  byLimits(record: RunRecord): void {
    const stays = this.#whyWhole(record);
    if (stays !== undefined) return void this.#kept.set(record.run, stays);
    const reason = this.#whyGone(record);
    if (reason !== undefined) return this.#choose(record, 'run', reason);
    const { payloadsBefore } = this.#limits;
    if (payloadsBefore !== undefined && record.updatedAt < payloadsBefore && this.#hasPayloads(record))
      this.#choose(record, 'payloads', `it ended ${this.#ageOf(record)} ago`);
  }

  /** First what can be spared: a journal without its payloads still tells what happened. */
  bySize(ended: readonly RunRecord[], maxBytes: number): void {
    const reason = 'the store is larger than it may be, and this is the oldest';
    const spared = ended.filter(({ run }) => !this.#kept.has(run) && !this.#isCounted(run));
    for (const record of spared)
      if (this.#usedBytes > maxBytes && !this.#chosen.has(record.run) && this.#hasPayloads(record))
        this.#choose(record, 'payloads', reason);
    for (const record of spared)
      if (this.#usedBytes > maxBytes && this.#chosen.get(record.run)?.what !== 'run')
        this.#choose(record, 'run', reason);
  }

  choice(ended: readonly RunRecord[]): Choice {
    const chosen = ended.flatMap(({ run }) => this.#chosen.get(run) ?? []);
    const staying = ended.filter(({ run }) => this.#chosen.get(run)?.what !== 'run');
    return { chosen, kept: staying.map((record) => ({ run: record.run, reason: this.#whyKept(record) })) };
  }

  #choose(record: RunRecord, what: ChosenRun['what'], reason: string): void {
    const { sizes, gains } = this.#choices;
    const { journal = 0, payloads = 0 } = sizes.get(record.run) ?? {};
    const before = this.#chosen.get(record.run);
    const bytes = what === 'run' ? journal + payloads : (gains.get(record.run) ?? 0);
    this.#usedBytes -= bytes - (before?.bytes ?? 0);
    this.#chosen.set(record.run, {
      record,
      what,
      bytes,
      reason: before?.what === what ? before.reason : reason,
    });
  }

  /** Why nothing at all is taken of it. */
  #whyWhole({ run, workflow, status }: RunRecord): string | undefined {
    const { runs, status: wanted, workflow: name } = this.#limits;
    if (runs !== undefined && !runs.includes(run)) return 'it was not named';
    if (name !== undefined && workflow !== name) return `it is of the workflow ${workflow}`;
    if (wanted !== undefined && !wanted.includes(status as EndStatus)) return `it has ${status}`;
    if (runs === undefined && this.#newestGood.has(run))
      return `it is the newest of ${workflow} that succeeded`;
    return this.#choices.needed.get(run);
  }

  #whyGone(record: RunRecord): string | undefined {
    const { before, keep, runs, maxBytes } = this.#limits;
    if (this.#isCounted(record.run) || (before !== undefined && record.updatedAt >= before)) return undefined;
    if (before !== undefined) return `it ended ${this.#ageOf(record)} ago`;
    if (keep !== undefined && maxBytes === undefined)
      return `it is not among the newest ${keep} of ${record.workflow}`;
    return runs === undefined ? undefined : 'it was named';
  }

  #whyKept(record: RunRecord): string {
    const { keep, before } = this.#limits;
    const stays = this.#kept.get(record.run);
    if (stays !== undefined) return stays;
    if (this.#chosen.has(record.run)) return 'its journal stays';
    if (this.#isCounted(record.run)) return `it is among the newest ${keep} of ${record.workflow}`;
    if (before !== undefined && record.updatedAt >= before) return `it ended only ${this.#ageOf(record)} ago`;
    return 'no limit asks for more';
  }

  #isCounted(run: string): boolean {
    return (this.#ranks.get(run) ?? 0) < (this.#limits.keep ?? 0);
  }

  #hasPayloads({ run }: RunRecord): boolean {
    return this.#choices.gains.has(run);
  }

  #ageOf({ updatedAt }: RunRecord): string {
    return ageText(this.#choices.now - updatedAt);
  }
}

const dayMs = 86_400_000;

function ageText(ms: number): string {
  return ms < dayMs ? formatDuration(Math.max(ms, 0)) : `${Math.floor(ms / dayMs)}d`;
}

/** 0 for the newest of its workflow. */
function ranksOf(newestFirst: readonly RunRecord[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  return new Map(
    newestFirst.map(({ run, workflow }) => {
      const rank = counts.get(workflow) ?? 0;
      counts.set(workflow, rank + 1);
      return [run, rank];
    }),
  );
}

function newestGoodOf(newestFirst: readonly RunRecord[]): ReadonlySet<string> {
  const good = newestFirst.filter(({ status }) => status === 'succeeded');
  const byWorkflow = new Map(good.toReversed().map(({ run, workflow }) => [workflow, run]));
  return new Set(byWorkflow.values());
}
