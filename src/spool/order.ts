import type { Json, ProcessIdentity } from '../base/index.ts';

/** An attempt described by data alone: whoever holds it can start the process. */
export interface SpoolOrder {
  /** Random id of letters, digits and `_`; the name of the folder. */
  readonly attempt: string;
  readonly run: string;
  /** Another run may have had its id before, and have left its attempts. */
  readonly runCreatedAt?: number;
  readonly seq: number;
  readonly task: string;
  /** Number of the attempt, for people. */
  readonly number: number;
  /** Stable over all attempts of the task: lets the command recognise its own earlier work. */
  readonly key: string;
  readonly argv: readonly string[];
  /** Absolute. */
  readonly directory: string;
  /** The whole environment but for our own `PITON_*`. Holds secrets, thus is never written to a file. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables in `env` whose values must not be shown. */
  readonly secrets: readonly string[];
  /** The same of others, which it may print all the same: not shown where their values are known. */
  readonly hidden?: readonly string[];
  /** By which all these are known in what it prints, to whoever has the key; empty: there is nothing to hide. */
  readonly fingerprints?: string;
  /** What it was given of the environment beyond the base; true: everything. Not of attempts that an older version has made. */
  readonly inherited?: true | readonly string[];
  /** Given on standard input, which is empty without it. */
  readonly input?: string;
  /** Written beside what it prints before it starts: name -> content. */
  readonly files?: Readonly<Record<string, string>>;
  /** Running time: while the machine sleeps, it does not count. */
  readonly timeoutMs?: number;
  /** By what it is contained, or why not; and the words that come before `argv`. With these it writes in the folder `own` of its folder. */
  readonly sandbox?: {
    readonly by: string;
    readonly hasNetwork: boolean;
    readonly words: readonly string[];
  };
  /** What the journal says of its beginning, for the case that the journal loses it. */
  readonly journalled?: Json;
}

export function isContained({ sandbox }: Pick<SpoolOrder, 'sandbox'>): boolean {
  return sandbox !== undefined && sandbox.words.length > 0;
}

/** What is kept of it: its environment and its files are not. */
export type WrittenOrder = Omit<SpoolOrder, 'env' | 'files' | 'input'> & Witnessed;

/** A commit of a journal, by its place and its hash. */
export interface JournalHead {
  readonly seq: number;
  readonly hash: string;
}

/** Not of attempts that an older version has made. */
interface Witnessed {
  readonly store?: string;
  /** Of the journal at that time. */
  readonly head?: JournalHead;
}

export interface Exit {
  /** 128 + n if the command was killed by signal n. */
  readonly code: number;
  readonly timedOut: boolean;
}

export type Sighting =
  | { readonly type: 'absent' }
  /** Prepared, and nothing has begun. Whether it still may begin, `claim` decides. */
  | { readonly type: 'unclaimed' }
  | { readonly type: 'alive'; readonly process: ProcessIdentity }
  | { readonly type: 'exited'; readonly exit: Exit }
  /** It has begun (or a reboot has taken the proof that it has not), nobody runs it, and nobody knows how it ended. */
  | {
      readonly type: 'vanished';
      /** There is an exit record, and why it is not believed. */
      readonly doubt?: string;
    }
  /** Begun on another host or in another pid namespace, without an exit record: it cannot be seen from here. */
  | { readonly type: 'elsewhere'; readonly host: string };

/** `unclaimed`: the wrapper died before it began, and it never will. */
export type Ending = Extract<Sighting, { type: 'exited' | 'vanished' | 'unclaimed' }>;

export type OutputStream = 'stdout' | 'stderr';

export interface OutputText {
  readonly text: string;
  /** Size of the whole file. */
  readonly bytes: number;
  /** `text` is a part only. */
  readonly isCut: boolean;
  /** When the file was last written to, in milliseconds since 1970, as precisely as the system knows; 0 if there is none. */
  readonly writtenAt: number;
}

export interface OutputPiece {
  readonly stream: OutputStream;
  readonly text: string;
  /** So many bytes of the stream are told up to the end of its last whole line. */
  readonly lines: number;
  /** The same up to the end of this piece. */
  readonly end: number;
}
