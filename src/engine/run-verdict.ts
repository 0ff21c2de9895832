/** One thing that is wrong with a run, and what to do about it. */
export interface RunFault {
  /**
   * Of the journal: everything from the first wrong commit on is lost. Of the row or a snapshot: it is made anew. Of the
   * run: the store does not have it any more. Of the spool: how far the run, or an attempt, had come cannot be read there. Of git: a commit
   * that the run needs is gone.
   */
  readonly in: 'journal' | 'row' | 'snapshot' | 'version' | 'run' | 'spool' | 'git';
  readonly seq?: number;
  readonly what: string;
  /** What that means for the run. */
  readonly consequence: string;
  readonly remedy: string;
}

/** Something that is not as it was, and harms nothing. */
export interface RunNote {
  readonly in: 'quarantine' | 'git';
  readonly what: string;
  readonly consequence: string;
}

/** Whether the journal of a run is sound, and what is wrong with it if not. */
export interface RunVerdict {
  readonly run: string;
  /** So many are good. */
  readonly commits: number;
  readonly ok: boolean;
  readonly firstBad?: number;
  /** The first fault. */
  readonly reason?: string;
  readonly faults: readonly RunFault[];
  /** What else was noticed, and harms nothing. */
  readonly notes?: readonly RunNote[];
}
