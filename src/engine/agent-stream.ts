import type { Agent, AgentEvent, AgentParser, ParserContext } from '../agents/index.ts';
import type { Exit, HarvestingAttempts } from '../spool/index.ts';
import type { Redact } from './redact.ts';

const pieceBytes = 256 * 1024;
const complaintBytes = 64 * 1024;
const newline = 10;
/** A longer line is passed over: no agent means anything by it, and it would fill the memory. */
const longestLine = 128 * 1024 * 1024;
const cutOff = 'a line that was cut off';

/** Killed, and its exit code with it. */
export const lostExit: Exit = { code: 137, timedOut: false };

export interface StreamOptions {
  readonly agent: Agent;
  readonly context: ParserContext;
  /** So much of the stream an earlier driver has told. */
  readonly known?: number;
  /** Only so much of it is read. */
  readonly end?: number;
  /** For what it complained: the end of that becomes a reason, and may begin with the end of a secret. */
  readonly redact?: Redact;
}

/** What was read, and up to which byte of the stream. */
export interface Passage {
  readonly upTo: number;
  readonly events: readonly AgentEvent[];
}

/**
 * Reads an agent's stream from the spool, line by line. It begins at the start whoever reads, since the parser has to
 * know what came before; what was read by an earlier driver is not told again. For one reader at a time: the next one asks when the
 * last one has been answered.
 */
export class AgentStream {
  readonly #spool: HarvestingAttempts;
  readonly #attempt: string;
  readonly #parser: AgentParser;
  readonly #known: number;
  readonly #end: number;
  readonly #redact: Redact;
  /** All that the parser has told, also what was told before. */
  readonly events: AgentEvent[] = [];
  #position = 0;
  /** Of a line whose end has not come, piece by piece: one may be gigantic. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** It is longer than it may be: only its length is kept. */
  #isTooLong = false;

  constructor(
    spool: HarvestingAttempts,
    attempt: string,
    { agent, context, known = 0, end = Infinity, redact = String }: StreamOptions,
  ) {
    this.#spool = spool;
    this.#attempt = attempt;
    this.#parser = agent.parser(context);
    this.#known = known;
    this.#end = end;
    this.#redact = redact;
  }

  /** The next lines that are whole; undefined if there are none for now. */
  async next(): Promise<Passage | undefined> {
    for (;;) {
      const position = this.#position + this.#restBytes;
      const read = await this.#spool.readFrom(this.#attempt, {
        stream: 'stdout',
        position,
        maxBytes: Math.min(pieceBytes, Math.max(0, this.#end - position)),
      });
      if (read.length === 0) return undefined;
      if (this.#isTooLong || this.#restBytes + firstLineBytes(read) > longestLine) {
        const passage = this.#passOver(read);
        if (passage !== undefined) return passage;
        continue;
      }
      const end = read.lastIndexOf(newline) + 1;
      const lines = end === 0 ? undefined : Buffer.concat([...this.#rest, read.subarray(0, end)]);
      this.#keep(end === 0 ? [...this.#rest, read] : [read.subarray(end)]);
      if (lines !== undefined) return this.#tellLines(lines);
    }
  }

  /** Up to the end of the line; what comes behind it is read again. */
  #passOver(read: Buffer): Passage | undefined {
    this.#isTooLong = !read.includes(newline);
    this.#rest = [];
    this.#restBytes += firstLineBytes(read);
    if (this.#isTooLong) return undefined;
    this.#position += this.#restBytes;
    const events = this.#parser.line(tooLong(this.#restBytes));
    this.#restBytes = 0;
    this.events.push(...events);
    return { upTo: this.#position, events: this.#position > this.#known ? events : [] };
  }

  #keep(rest: Buffer[]): void {
    this.#rest = rest;
    this.#restBytes = rest.reduce((sum, { length }) => sum + length, 0);
  }

  /** It has told how it ended: only the end of its process is to come. */
  get isDone(): boolean {
    return this.#parser.isDone();
  }

  /** What is left when the process has ended: a last line without its end, and what only the exit tells. */
  async finish(exit: Exit): Promise<Passage> {
    const { text, isCut } = await this.#spool.readOutput(this.#attempt, 'stderr', {
      maxBytes: complaintBytes,
      from: 'end',
    });
    const rest = this.#isTooLong ? tooLong(this.#restBytes) : Buffer.concat(this.#rest).toString('utf8');
    this.#keep([]);
    const complaints = this.#redact(text, isCut);
    const events = [...this.#cutLine(rest), ...this.#parser.end(exit, complaints)];
    this.events.push(...events);
    // One past the last whole line: that, too, is told once.
    const upTo = this.#position + 1;
    return { upTo, events: upTo > this.#known ? events : [] };
  }

  /** A last line without its end: whole, but for that, or cut off in the middle of an event. */
  #cutLine(rest: string): readonly AgentEvent[] {
    if (rest === '') return [];
    const isEvent = rest.trimStart().startsWith('{');
    return this.#parser
      .line(rest)
      .map((event) =>
        event.type === 'unknown' && isEvent ? { ...event, kind: event.kind ?? cutOff } : event,
      );
  }

  #tellLines(bytes: Buffer): Passage {
    const fresh: AgentEvent[] = [];
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(newline, start) + 1;
      const events = this.#parser.line(bytes.toString('utf8', start, end - 1));
      this.#position += end - start;
      start = end;
      this.events.push(...events);
      if (this.#position > this.#known) fresh.push(...events);
    }
    return { upTo: this.#position, events: fresh };
  }
}

/** With its end, if that is there. */
function firstLineBytes(read: Buffer): number {
  const end = read.indexOf(newline) + 1;
  return end === 0 ? read.length : end;
}

function tooLong(bytes: number): string {
  return `[a line of ${bytes} bytes, too long to be read]`;
}

/** What it has told of its session. */
export function sessionPart({ id, model, version }: Extract<AgentEvent, { type: 'session' }>) {
  return { id, ...(model !== undefined && { model }), ...(version !== undefined && { version }) };
}
