import type { Agent, AgentEvent, Permissions } from '../agents/index.ts';
import { isPlainObject, visibleText, type Json } from '../base/index.ts';
import type { Redact } from './redact.ts';

/** A tool call: what it was, and what came of it, if that was told. */
export interface Call {
  readonly name: string;
  readonly input: Json;
  readonly output?: string;
}

/** What an agent did in an attempt that has ended. */
export interface Account {
  readonly messages: readonly string[];
  readonly completed: readonly Call[];
  readonly inFlight: readonly Call[];
  /** Whether calls are told before they begin, where that differs from one attempt to the next. */
  readonly areStartsShown?: boolean;
}

export function accountOf(events: readonly AgentEvent[]): Account {
  const open = new Map<string, Call>();
  const completed: Call[] = [];
  const messages: string[] = [];
  for (const event of events) {
    if (event.type === 'message' && event.role === 'assistant') messages.push(event.text);
    if (event.type === 'tool-started') open.set(event.id, { name: event.name, input: event.input });
    if (event.type !== 'tool-finished') continue;
    const call = open.get(event.id);
    open.delete(event.id);
    if (call !== undefined) completed.push({ ...call, output: event.output });
  }
  const told = events.findLast((event) => event.type === 'tool-starts');
  return {
    messages,
    completed,
    inFlight: [...open.values()],
    ...(told !== undefined && { areStartsShown: told.areShown }),
  };
}

/** The ids of calls are unique within one process only, so that each is read by itself. */
export function joinAccounts(accounts: readonly Account[]): Account {
  return {
    messages: accounts.flatMap(({ messages }) => messages),
    completed: accounts.flatMap(({ completed }) => completed),
    inFlight: accounts.flatMap(({ inFlight }) => inFlight),
  };
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

function mainPart(input: Readonly<Record<string, unknown>>): string {
  const known = ['command', 'cmd', 'file_path', 'filePath', 'path', 'file', 'pattern', 'url'];
  const value = known.map((key) => input[key]).find((part) => typeof part === 'string');
  return typeof value === 'string' ? value : '';
}

interface Judging extends Pick<Agent, 'showsToolStart' | 'toolClass'> {
  readonly permissions: Permissions;
  readonly redact: Redact;
  isHarmless(command: string): boolean;
}

/** Where it was interrupted, and whether what was under way there may simply be done again. */
export function boundaryOf(
  { inFlight, areStartsShown }: Account,
  judging: Judging,
): { readonly boundary: string; readonly mayRepeat: boolean } {
  const risky = inFlight.find((call) => isRisky(call, judging));
  const shown = risky ?? inFlight[0];
  if (shown !== undefined)
    return { boundary: `in tool '${labelOf(shown, judging.redact)}'`, mayRepeat: risky === undefined };
  const { showsToolStart, permissions } = judging;
  if (areStartsShown ?? showsToolStart) return { boundary: 'between two tool calls', mayRepeat: true };
  // Whatever it was: where it may only read and edit, it was nothing that cannot be looked at and done again.
  const mayRepeat = permissions === 'read' || permissions === 'edit';
  return { boundary: 'where it does not tell what it was doing', mayRepeat };
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
