import { stripVTControlCharacters } from 'node:util';
import type { Json, JsonObject } from '../base/index.ts';
import type { AgentEvent, AgentExit, AgentParser, ParserContext } from './contract.ts';
import { advised, failureEvents } from './failures.ts';
import { readObject, shorten } from './json-fields.ts';
import { unknownEvent, unknownLine } from './unknown.ts';
import { commandLineComplaint, unsupportedText } from './unsupported.ts';

/** What an adapter knows of its CLI's lines; everything every adapter must see to is done around it. */
export interface StreamReader {
  /** Undefined: an event of a kind that it does not list. */
  read(event: JsonObject): readonly AgentEvent[] | undefined;
  /** It has told its result, and keeps it until the end. */
  isDone?(): boolean;
  /** Ahead of the general explanation of an end without a result. */
  end?(exit: AgentExit, said: string): readonly AgentEvent[];
}

/** For output of one JSON object per line. */
export function streamParser(reader: StreamReader, context: ParserContext): AgentParser {
  const outcome = new SingleOutcome();
  const stray: string[] = [];
  return {
    line(text) {
      if (text.trim() === '') return [];
      const event = readObject(text);
      if (event !== undefined) return outcome.pass(readSafely(reader, event));
      const shown = shorten(plainText(text.slice(0, 2_000)), 300);
      // Some CLIs print the reason of their end as plain text on standard output.
      stray.push(shown);
      if (stray.length > 20) stray.shift();
      return [unknownLine(shown)];
    },
    isDone: () => outcome.isDone || reader.isDone?.() === true,
    end(exit, stderr) {
      const said = [plainText(stderr), ...stray].join('\n').trim();
      return [...outcome.passLast(reader.end?.(exit, said) ?? []), ...outcome.close(exit, { said, context })];
    },
  };
}

/** One strange line must not cost the whole transcript. */
function readSafely(reader: StreamReader, event: JsonObject): readonly AgentEvent[] {
  try {
    return reader.read(event) ?? unknownEvent(kindOf(event));
  } catch {
    return unknownEvent(kindOf(event));
  }
}

function kindOf(event: JsonObject): Json | undefined {
  return event['type'] ?? event['event'];
}

function plainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\0\uFFFD]/g, '');
}

/**
 * Lets exactly one of `result` and `failure` pass, and no success that was none: a permission that was refused
 * and an end with nothing said and nothing done are failures, whatever the CLI calls them.
 */
export class SingleOutcome {
  private isDecided = false;
  private hasBegun = false;
  private hasActed = false;
  private readonly denials: string[] = [];

  get isDone(): boolean {
    return this.isDecided;
  }

  pass(events: readonly AgentEvent[]): readonly AgentEvent[] {
    return events.map((event) => this.passOne(event));
  }

  /** What an end without an outcome would mean is dropped if there was one. */
  passLast(events: readonly AgentEvent[]): readonly AgentEvent[] {
    if (!this.isDecided) return this.pass(events);
    return events.filter(({ type }) => type !== 'limit' && type !== 'failure' && type !== 'result');
  }

  /** Called last: if nothing has been decided, the exit and what was said decide. */
  close(exit: AgentExit, { said, context }: { said: string; context: ParserContext }): readonly AgentEvent[] {
    if (this.isDecided) return [];
    this.isDecided = true;
    if (this.denials.length > 0) return [this.deniedFailure()];
    const complaint = this.hasBegun ? undefined : commandLineComplaint(said);
    if (complaint !== undefined)
      return [{ type: 'failure', kind: 'unsupported', message: unsupportedText(shorten(complaint, 200)) }];
    return failureEvents(explainEnd(exit, said), { clock: context, evidence: said });
  }

  private passOne(event: AgentEvent): AgentEvent {
    if (event.type !== 'notice' && event.type !== 'unknown') this.hasBegun = true;
    if (event.type === 'denied') this.denials.push(`${event.tool} (${event.reason})`);
    if (event.type === 'tool-finished' && !event.isError) this.hasActed = true;
    return event.type === 'result' || event.type === 'failure' ? this.decide(event) : event;
  }

  private decide(event: AgentEvent & { type: 'result' | 'failure' }): AgentEvent {
    if (this.isDecided) return { type: 'notice', text: `Said after the end: ${shownOutcome(event)}` };
    this.isDecided = true;
    if (event.type === 'failure') return event;
    if (this.denials.length > 0) return this.deniedFailure();
    if (event.text.trim() === '' && event.structured === undefined && !this.hasActed) return nothingDone;
    return event;
  }

  private deniedFailure(): AgentEvent {
    const message = advised(`The agent was denied: ${shorten(this.denials.join('; '))}.`, 'denied');
    return { type: 'failure', kind: 'denied', message };
  }
}

const nothingDone: AgentEvent = {
  type: 'failure',
  kind: 'error',
  message: 'The agent ended without saying or doing anything.',
};

function shownOutcome(event: AgentEvent & { type: 'result' | 'failure' }): string {
  return shorten(event.type === 'result' ? event.text : event.message, 200);
}

function explainEnd(exit: AgentExit, said: string): string {
  if (exit.timedOut) return 'The agent was stopped at its time limit, before it gave a result.';
  const ending = `The agent ended with exit code ${exit.code} and gave no result`;
  // The reason is what was said last; what comes before is usually warnings.
  return said === '' ? `${ending}.` : `${ending}: ${shorten(said.slice(-500))}`;
}
