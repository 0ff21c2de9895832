import type { AgentEvent, FailureKind, ParserContext } from './contract.ts';
import { shorten } from './json-fields.ts';
import { believable, resetTime } from './reset-time.ts';

/** A bare number means nothing: a line 401 is no missing login. */
function status(numbers: string): string {
  return String.raw`(?:status|http|code|error)\W{0,12}(?:code\W{0,3})?(?:${numbers})\b`;
}

function anyOf(text: string, pattern: RegExp): RegExp {
  return new RegExp(`${text}|${pattern.source}`, 'i');
}

/** Asked in this order: what comes first is said more specifically. */
const kinds: readonly (readonly [FailureKind, RegExp])[] = [
  [
    'session-in-use',
    /session id \S+ (?:is )?already (?:in use|exists)|thread is (?:locked|in use)|already has an active writer/i,
  ],
  [
    // One that cannot be read is as good as none: a new one is told what was done.
    'session-missing',
    /failed to read (?:thread|session metadata)|no conversation found|no rollout found|session not found|(?:invalid|unknown) session|no previous sessions|no session (?:found|named)|session .{1,80}\bnot found/i,
  ],
  [
    'limit',
    anyOf(
      status('429'),
      /usage limit|rate.?limit|hit your .{0,40}limit|(?<!\b(?:context|turns?|tokens?|length|size|file) )limit reached|(?<!disk )quota|resource.?exhausted|too many requests|out of (?:usage )?credits|credit balance|spend limit|insufficient_quota/,
    ),
  ],
  [
    'auth',
    anyOf(
      status('401'),
      /unauthori[sz]ed|authenticat(?:e|ion)\b.{0,40}(?:fail|error|required)|failed to authenticate|(?:invalid|incorrect|missing|expired) (?:api key|credential|token|x-api-key)|api[ _]key.{0,40}(?:invalid|not valid|missing|not found|required)|missing environment variable:? \W{0,2}\w*(?:key|token)|not logged in|log ?in (?:again|required)|please (?:run )?\/?login|invalid auth method|oauth token/,
    ),
  ],
  [
    'model-unknown',
    /model.{0,80}(?:not ?found|not exist|unknown|not supported|not available|invalid)|(?:unknown|invalid|unsupported|no such) model|model_not_found|issue with the selected model/i,
  ],
  ['max-turns', /(?:max(?:imum)?|reached).{0,20}turns|turns? limit reached/i],
  [
    'truncated',
    /context (?:window|length|limit)|prompt is too long|max(?:imum)?[ _](?:output[ _])?tokens|output token maximum/i,
  ],
  [
    'refused',
    /content.?filter|safety.?block|blocked.{0,20}(?:safety|policy)|violat.{0,40}polic|\brefus(?:al|ed to)/i,
  ],
  [
    'network',
    anyOf(
      status('5\\d\\d'),
      /ECONN(?:REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|fetch failed|network (?:error|failure|failed|problem|connection|request|timeout|is|was|unreachable)|(?:no|lost|check your) network|(?:unable|failed) to connect|connection (?:error|refused|reset|closed)|connect(?:ion)? ?timed? ?out|stream (?:disconnected|closed|error)|overloaded|service unavailable|bad gateway/,
    ),
  ],
];

/** What kind of failure a text speaks of. */
export function failureKind(text: string): FailureKind {
  return kinds.find(([, pattern]) => pattern.test(text))?.[0] ?? 'error';
}

/** Of a number of the HTTP protocol, where it decides by itself. */
export function kindOfStatus(status: number | undefined): FailureKind | undefined {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'limit';
  if (status !== undefined && status >= 500) return 'network';
  return undefined;
}

export interface FailureFacts {
  readonly clock: Pick<ParserContext, 'now' | 'timeZone'>;
  /** If known otherwise than by the text. */
  readonly kind?: FailureKind | undefined;
  readonly until?: number | undefined;
  /** What to judge by; default: the message itself. */
  readonly evidence?: string;
}

/** A failure, and before it the limit that caused it, if it was one. */
export function failureEvents(message: string, facts: FailureFacts): readonly AgentEvent[] {
  const evidence = facts.evidence ?? message;
  const kind = facts.kind ?? failureKind(evidence);
  const failure: AgentEvent = { type: 'failure', kind, message: advised(shorten(message), kind) };
  if (kind !== 'limit') return [failure];
  const until = believable(facts.until, facts.clock) ?? resetTime(evidence, facts.clock);
  return [{ type: 'limit', ...(until !== undefined && { until }), text: shorten(message) }, failure];
}

/** What to do, where the CLI does not say it, or says it to a person at its own terminal. */
const advice: Partial<Readonly<Record<FailureKind, string>>> = {
  denied: 'Allow it with `permissions`, or ask for something else.',
  'model-unknown': 'Put one that it knows into `model` of the task.',
  'session-in-use':
    'Another program works in this session: end it there, then let the task go on with `piton retry`.',
  'max-turns': 'Allow it more with `max-turns`, or let it go on with `piton retry`.',
  truncated: 'Ask for less at once, or let it write its answer into a file.',
  refused: 'Say it in other words, or give the task to another agent.',
};

const damagedDatabase = /file is not a database|database disk image is malformed/i;

/** With what to do about it. */
export function advised(message: string, kind: FailureKind): string {
  const known = damagedDatabase.test(message)
    ? 'Its own database is damaged: move that away, then let the task go on with `piton retry` in a new session, which is told what was done.'
    : advice[kind];
  if (known === undefined) return message;
  return `${message}${/[.!?…]$/.test(message) ? '' : '.'} ${known}`;
}

/** The limit a text speaks of, if it does: some CLIs wait for its end without a word but on standard error. */
export function readLimit(text: string, clock: FailureFacts['clock']): LimitEvent | undefined {
  if (failureKind(text) !== 'limit') return undefined;
  const until = resetTime(text, clock);
  return { type: 'limit', ...(until !== undefined && { until }), text: shorten(text) };
}

type LimitEvent = AgentEvent & { readonly type: 'limit' };
