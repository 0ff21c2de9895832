import type { ProcessIdentity } from '../base/index.ts';
import type {
  Ending,
  Exit,
  JournalHead,
  OutputPiece,
  OutputStream,
  OutputText,
  Sighting,
  SpoolOrder,
  WrittenOrder,
} from './order.ts';

/**
 * Processes that are started at most once, outlive us, and can be found, followed and ended by whoever comes next. Where they
 * live is the adapter's affair: every answer may come from far, and be late. What must happen once is decided by `prepare` and
 * `claim`, of which each succeeds for one caller only, whoever else tries; never by what was seen before.
 */
export interface Spool extends StartingAttempts, WatchingAttempts, HarvestingAttempts, KeepingAttempts {
  /** How far journals are known to have come. */
  readonly heads: Heads;
  /**
   * Where a process finds the files of its order, on the machine that it runs on. Nobody else may take it for a folder that is
   * here; people may be told it.
   */
  folderOf(attempt: string): string;
}

/** At most once, whoever tries, and whenever. */
export interface StartingAttempts {
  /**
   * Writes the order down, or rejects with SPOOL_EXISTS. Its environment is not written down. `head`: of the journal that tells of
   * the attempt; without one (a store that outlives nobody) nothing bears witness of it.
   */
  prepare(order: SpoolOrder, head?: JournalHead): Promise<void>;
  /**
   * Resolves as soon as the wrapper exists, and with it surely found again by `look`. Rejects with COMMAND_NOT_STARTED if
   * it does not exist; then nothing has begun. That the command itself is missing is not such a case: it exits with 127.
   */
  start(order: SpoolOrder): Promise<ProcessIdentity>;
  /** True: it has not begun, and never will, even if a wrapper is on its way. False: it may have begun, look again. */
  claim(attempt: string): Promise<boolean>;
}

/** How it stands, and its end. */
export interface WatchingAttempts {
  /** Changes nothing. Rejects only if what is there cannot be read (too many open files, a broken disk). */
  look(attempt: string, process?: ProcessIdentity): Promise<Sighting>;
  /**
   * Waits until the wrapper has ended or left an exit record; undefined if the signal was given before. Never rejects.
   * What cannot be seen from here is waited for until its exit record appears.
   */
  ended(attempt: string, options: EndedOptions): Promise<Ending | undefined>;
  /**
   * Ends whatever lives of the attempt, the wrapper last, so that it can still write how the command ended: look again
   * afterwards. Cheap if nothing lives. Sees nothing of what runs where it cannot look.
   */
  fence(attempt: string, options?: FenceOptions): Promise<FenceResult>;
  /** Leaves a note why it is about to be asked to stop: whoever finds its end must not take that for its own doing. */
  noteStop(attempt: string, reason: string): Promise<void>;
  /** The note, if there is one. */
  stopNote(attempt: string): Promise<string | undefined>;
  /** Whether anything of it lives in a session of its own, as the tools of agents do; false where that cannot be seen. */
  hasTools(attempt: string, process?: ProcessIdentity): Promise<boolean>;
}

/** What it has left. */
export interface HarvestingAttempts {
  /**
   * To be called before an end is recorded that rests on what the attempt has written: that outlasts a power failure then, where it
   * is to. `exit`: what is known of its end. May be called again if it rejects: what could not be kept once is written anew.
   */
  sync(attempt: string, exit?: Exit): Promise<void>;
  /** At most `maxBytes` of it, without splitting a character; what is not UTF-8 is replaced. */
  readOutput(attempt: string, stream: OutputStream, options: ReadOptions): Promise<OutputText>;
  /** What it has printed after a place, as bytes; at most `maxBytes`. */
  readFrom(attempt: string, options: ReadFromOptions): Promise<Buffer>;
  /** The beginning of what was written to `$PITON_OUTPUT`; undefined if nothing was. */
  readResult(attempt: string, options: Pick<ReadOptions, 'maxBytes'>): Promise<OutputText | undefined>;
  /** What it was given on standard input; undefined if that was nothing. */
  readInput(attempt: string): Promise<string | undefined>;
  /** What it has printed, and what it prints, until it is over and all is read, or the signal is given. */
  follow(attempt: string, options: FollowOptions): AsyncIterable<OutputPiece>;
  /** How long it has printed nothing, by the clock of the machine that it prints on; 0 if it has not begun. */
  silentMs(attempt: string): Promise<number>;
  /** When it last printed anything, in milliseconds since 1970, for people; undefined if it has not begun. */
  lastOutputAt(attempt: string): Promise<number | undefined>;
  /** The last line of either stream that shows anything. */
  lastLine(attempt: string): Promise<LastLine | undefined>;
}

/** Which there are, and what becomes of those that nobody needs. */
export interface KeepingAttempts {
  /** What it was told to do; undefined if it was not prepared. */
  describe(attempt: string): Promise<WrittenOrder | undefined>;
  /** What it was told to do, of all attempts of this store, or of one run. What cannot be read is passed over. */
  orders(run?: string): Promise<WrittenOrder[]>;
  /** Whether anything has begun of which it cannot be told any more what it was, and for which run. */
  hasUnreadable(): Promise<boolean>;
  list(): Promise<string[]>;
  /** Gives those that were refused, because something of them lives or cannot be seen from here. */
  remove(attempts: readonly string[]): Promise<readonly string[]>;
  /**
   * Removes what was prepared for an attempt that was claimed so that it never begins. Nothing in it is of use to anybody. One for which
   * nobody has begun to prepare anything stays, unless nobody is left who could (`isOrphan`): who comes to that must find it taken.
   */
  removeUnbegun(attempt: string, options?: { readonly isOrphan?: boolean }): Promise<void>;
}

/**
 * How far the journals had come when processes were started for their runs. Kept outside of the store, so that it can tell of a
 * journal that has lost its end.
 */
export interface Heads {
  /** Resolves when a head at least as far as this one is recorded. Of one driver: its heads only go forward. */
  raise(run: string, head: JournalHead): Promise<void>;
  /**
   * Of a run that was taken back to an earlier commit. `over`: what was recorded then. If it is another by now, somebody has gone on
   * with the run since, while we were stopped, and knows better.
   */
  replace(run: string, head: JournalHead, over: JournalHead | undefined): Promise<void>;
  remove(run: string): Promise<void>;
  /**
   * The run is about to be removed from the store, as it was when the last head was recorded. Should it be gone on with instead, its head
   * is another.
   */
  notePruning(run: string): Promise<void>;
  /** It stays. */
  forgetPruning(run: string): Promise<void>;
  /** Of a run that the store does not have: it was removed on purpose, by one who was killed before this was. */
  isPruned(run: string): Promise<boolean>;
  /** What was to be started last has not begun, and is gone: it is not missing. */
  isUnbegun(run: string): Promise<boolean>;
  /** To be called before a run is driven: others may have changed what is recorded, or removed it, since that was done here. */
  forget(run: string): void;
  /** Something is recorded, whatever it is. Of most runs that begin there is nothing, and this costs least. Rejects with SPOOL_UNREADABLE. */
  isRecorded(run: string): Promise<boolean>;
  /** The furthest that was recorded; undefined if nothing was. Rejects with SPOOL_UNREADABLE. */
  read(run: string): Promise<JournalHead | undefined>;
  /** Something was recorded, and cannot be made out any more. */
  isDamaged(run: string): Promise<boolean>;
  /** Where it is recorded, for people. */
  fileOf(run: string): string;
}

export interface EndedOptions {
  readonly process: ProcessIdentity;
  readonly signal?: AbortSignal;
}

export interface FenceOptions {
  readonly process?: ProcessIdentity;
  readonly graceMs?: number;
  /** False: SIGKILL at once, without asking. True if not given. */
  readonly isGentle?: boolean;
}

export interface FenceResult {
  /** How many processes were there and are gone. */
  readonly ended: number;
  /** Pids of those that not even SIGKILL could end, such as ones that hang in the kernel. */
  readonly survivors: readonly number[];
}

export interface FollowOptions {
  /** Bytes of each stream that are left out at its beginning. */
  readonly from?: Readonly<Partial<Record<OutputStream, number>>>;
  readonly signal?: AbortSignal;
  /** True once nothing more will be written. */
  readonly isOver: () => boolean | Promise<boolean>;
}

export interface ReadOptions {
  readonly maxBytes: number;
  readonly from: 'start' | 'end';
}

export interface ReadFromOptions {
  readonly stream: OutputStream;
  readonly position: number;
  readonly maxBytes: number;
}

export interface LastLine {
  readonly text: string;
  /** Its beginning is missing. */
  readonly isCut: boolean;
}
