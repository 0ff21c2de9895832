import type { Agent, AgentEvent, Permissions } from '../agents/index.ts';
import { isPlainObject, visibleText, type Json } from '../base/index.ts';
import type { Redact } from './redact.ts';

/** A tool call: what it was, and what came of it, if that was told. */
export interface Call {
  readonly name: string;
  readonly input: Json;
  readonly output?: string;
  readonly isError?: boolean;
}

/** What an agent did in an attempt that has ended. */
export interface Account {
  readonly messages: readonly string[];
  readonly completed: readonly Call[];
  readonly inFlight: readonly Call[];
  /** Whether calls are told before they begin, where that differs from one attempt to the next. */
  readonly areStartsShown?: boolean;
  /** What was not understood since the last call that ended: it may have been a call. Each once, in words. */
  readonly unclear: readonly string[];
}

export function accountOf(events: readonly AgentEvent[]): Account {
  const open = new Map<string, Call>();
  const completed: Call[] = [];
  const messages: string[] = [];
  const unclear = new Set<string>();
  for (const event of events) {
    if (event.type === 'message' && event.role === 'assistant') messages.push(event.text);
    if (event.type === 'unknown') unclear.add(event.kind ?? 'a line that is no event');
    if (event.type === 'tool-started') open.set(event.id, { name: event.name, input: event.input });
    if (event.type !== 'tool-finished') continue;
    const call = open.get(event.id);
    open.delete(event.id);
    // One that goes on beside it may be what was not understood.
    if (open.size === 0) unclear.clear();
    if (call === undefined) unclear.add('the end of a call whose beginning was not told');
    else completed.push({ ...call, output: event.output, isError: event.isError });
  }
  const account = { messages, completed, inFlight: [...open.values()], unclear: [...unclear] };
  return { ...account, ...startsShownIn(events) };
}

function startsShownIn(events: readonly AgentEvent[]): Pick<Account, 'areStartsShown'> {
  const told = events.findLast((event) => event.type === 'tool-starts');
  return told === undefined ? {} : { areStartsShown: told.areShown };
}

/** The ids of calls are unique within one process only, so that each is read by itself. */
export function joinAccounts(accounts: readonly Account[]): Account {
  return {
    messages: accounts.flatMap(({ messages }) => messages),
    completed: accounts.flatMap(({ completed }) => completed),
    inFlight: accounts.flatMap(({ inFlight }) => inFlight),
    unclear: [...new Set(accounts.flatMap(({ unclear }) => unclear))],
  };
}

/** It tells of nothing that was said or done. */
export function hasNothing({ messages, completed, inFlight, unclear }: Account): boolean {
  return messages.length + completed.length + inFlight.length + unclear.length === 0;
}

const longestLabel = 100;

/**
 * A call in words that a person understands: `Bash: npm publish`. What is to be hidden has to be so before it is cut: of
 * a part of a secret nobody can tell that it is one.
 */
export function labelOf({ name, input }: Call, redact: Redact = String): string {
  const text = isPlainObject(input) ? mainPart(input) : '';
  const line = visibleText(redact(text)).replaceAll(/\s+/g, ' ');
  const shown = line.length <= longestLabel ? line : `${line.slice(0, longestLabel - 1)}…`;
  return text === '' ? redact(name) : `${redact(name)}: ${shown}`;
}

const longestInput = 4_000;
const longestOutput = 500;

/** The whole of a call, for the model that made it: what it was asked to do, and what came of it, if that is known. */
export function describeCall({ name, input, output, isError }: Call): string {
  const known = isPlainObject(input) ? mainPart(input) : '';
  const text = known === '' ? JSON.stringify(input) : known;
  const call = text === '{}' ? name : `${name}: ${cut(text, longestInput)}`;
  if (output === undefined) return call;
  const result = output.trim() === '' ? 'it gave no output' : cut(output.trim(), longestOutput);
  return `${call}\n  ${isError === true ? 'It failed' : 'It ended'}: ${result}`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)} [cut: ${most} of ${text.length} characters]`;
}

function mainPart(input: Readonly<Record<string, unknown>>): string {
  const known = ['command', 'cmd', 'file_path', 'filePath', 'path', 'file', 'pattern', 'url'];
  const value = known.map((key) => input[key]).find((part) => typeof part === 'string');
  return typeof value === 'string' ? value : '';
}

interface Judging extends Pick<Agent, 'showsToolStart' | 'toolClass'> {
  readonly permissions: Permissions;
  /** Its program, with its version. */
  readonly program: string;
  readonly redact: Redact;
  isHarmless(command: string): boolean;
}

/** Where it was interrupted, and whether what was under way there may simply be done again. */
export function boundaryOf(
  { inFlight, unclear, areStartsShown }: Account,
  judging: Judging,
): { readonly boundary: string; readonly mayRepeat: boolean } {
  const risky = inFlight.find((call) => isRisky(call, judging));
  const { showsToolStart, permissions, program, redact } = judging;
  // Whatever it was: where it may only read and edit, it was nothing that cannot be looked at and done again.
  const mayRepeat = isHarmlessWhatever(permissions);
  if (risky === undefined && unclear.length > 0) {
    const events = redact(unclearText(unclear));
    return { boundary: `after what Piton does not understand of ${program} (${events})`, mayRepeat };
  }
  const shown = risky ?? inFlight[0];
  if (shown !== undefined)
    return { boundary: `in tool '${labelOf(shown, redact)}'`, mayRepeat: risky === undefined };
  if (areStartsShown ?? showsToolStart) return { boundary: 'between two tool calls', mayRepeat: true };
  return { boundary: 'where it does not tell what it was doing', mayRepeat };
}

export function isHarmlessWhatever(permissions: Permissions): boolean {
  return permissions === 'read' || permissions === 'edit';
}

const mostUnclear = 5;

/** The first few: an adapter that is out of date may understand nothing at all. */
export function unclearText(unclear: readonly string[]): string {
  const more = unclear.length - mostUnclear;
  return [...unclear.slice(0, mostUnclear), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function isRisky({ name, input }: Call, { toolClass, isHarmless }: Judging): boolean {
  const kind = toolClass(name, input);
  if (typeof kind === 'object') return !isHarmless(kind.shell);
  return kind === 'unknown' || kind === 'irreversible';
}

/** The place after a call, for people. */
export function labelAfter(
  { id }: Extract<AgentEvent, { type: 'tool-finished' }>,
  events: readonly AgentEvent[],
  redact: Redact,
): string {
  const started = events.findLast((event) => event.type === 'tool-started' && event.id === id);
  return started?.type === 'tool-started' ? `after tool '${labelOf(started, redact)}'` : 'after a tool';
}
