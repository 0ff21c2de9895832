import { readStructured, type Agent, type AgentEvent, type FailureKind } from '../agents/index.ts';
import type { AgentStart } from '../kernel/index.ts';
import type { Failure, Outcome, TaskSpec } from '../model/index.ts';
import { labelOf } from './agent-account.ts';
import { checkOutput, failureOf, type OutputLimits } from './call-function.ts';
import type { Redact } from './redact.ts';

/** Where a limit does not tell when it ends. */
const unknownLimitMs = 15 * 60_000;
const shortestLimitMs = 1_000;

export interface Judged {
  readonly agent: Agent;
  readonly spec: TaskSpec;
  /** How it came to its session. */
  readonly how: AgentStart['how'];
  readonly now: number;
  readonly redact: Redact;
  /** For people, where its version was not tested. */
  readonly untested?: string;
}

/** What the events of a whole stream mean. Exit 0 is not success: only a result is, and its output has to fit. */
export async function outcomeOfAgent(
  events: readonly AgentEvent[],
  { agent, spec, how, now, redact, untested }: Judged,
  limits: OutputLimits,
): Promise<Outcome> {
  const result = events.find((event) => event.type === 'result');
  if (result !== undefined) return succeed(result, spec, limits);
  const failure = events.find((event) => event.type === 'failure');
  if (failure === undefined) return failed(agent, 'error', 'it ended without a result');
  if (failure.kind === 'limit') return delayed(events, failure.message, { agent: agent.name, now });
  // In a new one nothing can be missing: what says so would say so for ever.
  if (failure.kind === 'session-missing' && how !== 'new') {
    return { type: 'interrupted', reason: failure.message, graceful: true, sessionLost: true };
  }
  const asked = events.findLast((event) => event.type === 'asked');
  if (failure.kind === 'asked' && asked !== undefined) return question(agent, asked, redact);
  // It can go on in its session, if a person lets it: the budget is looked at before it would start.
  if (failure.kind === 'budget') return { type: 'interrupted', reason: failure.message };
  const remark = untested === undefined ? '' : ` [${untested}]`;
  return failed(agent, failure.kind, `${failure.message}${remedyFor(agent, failure, spec)}${remark}`);
}

/** What it stands before is asked of a person, who can let it go on. */
function question(
  { title }: Agent,
  { tool, input, reason }: Extract<AgentEvent, { type: 'asked' }>,
  redact: Redact,
): Outcome {
  const why = reason === '' ? '' : ` (${reason})`;
  const text = `${title} asks to use ${labelOf({ name: tool, input }, redact)}${why}`;
  return { type: 'asked', text, call: { tool, input } };
}

async function succeed(
  { text, structured }: Extract<AgentEvent, { type: 'result' }>,
  spec: TaskSpec,
  limits: OutputLimits,
): Promise<Outcome> {
  try {
    const isText = spec.output === undefined || spec.output['type'] === 'string';
    const output = isText ? text : (structured ?? readStructured(text) ?? text);
    return { type: 'succeeded', output: await checkOutput(output, spec, limits) };
  } catch (thrown) {
    return { type: 'failed', failure: failureOf(thrown) };
  }
}

function delayed(
  events: readonly AgentEvent[],
  message: string,
  { agent, now }: { readonly agent: string; readonly now: number },
): Outcome {
  const limit = events.findLast((event) => event.type === 'limit');
  const until = Math.max(limit?.until ?? now + unknownLimitMs, now + shortestLimitMs);
  return {
    type: 'delayed',
    until,
    reason: `${agent} is at its usage limit: ${limit?.text ?? message}`,
    agent,
  };
}

type FailureTraits = Pick<Failure, 'code' | 'retryable'> & Partial<Pick<Failure, 'class' | 'network'>>;

const traits: Readonly<Record<Exclude<FailureKind, 'budget'>, FailureTraits>> = {
  auth: { code: 'AGENT_NOT_LOGGED_IN', retryable: false, class: 'permanent' },
  limit: { code: 'AGENT_FAILED', retryable: true, class: 'transient' },
  denied: { code: 'AGENT_DENIED', retryable: false, class: 'permanent' },
  asked: { code: 'AGENT_DENIED', retryable: false, class: 'permanent' },
  refused: { code: 'AGENT_REFUSED', retryable: false, class: 'permanent' },
  truncated: { code: 'AGENT_TRUNCATED', retryable: true },
  'max-turns': { code: 'AGENT_OUT_OF_TURNS', retryable: false, class: 'permanent' },
  'session-missing': { code: 'AGENT_FAILED', retryable: true },
  'session-in-use': { code: 'AGENT_SESSION_IN_USE', retryable: true, class: 'transient' },
  'model-unknown': { code: 'AGENT_MODEL_UNKNOWN', retryable: false, class: 'permanent' },
  network: { code: 'AGENT_FAILED', retryable: true, class: 'transient', network: true },
  unsupported: { code: 'AGENT_TOO_OLD', retryable: false, class: 'permanent' },
  error: { code: 'AGENT_FAILED', retryable: true },
};

function failed(agent: Agent, kind: keyof typeof traits, said: string): Outcome {
  const message = `${agent.title}: ${said}`;
  return { type: 'failed', failure: { ...traits[kind], message } };
}

function remedyFor(
  { login, tested }: Agent,
  { kind, message }: Extract<AgentEvent, { type: 'failure' }>,
  spec: TaskSpec,
): string {
  const end = /[.!?…]$/.test(message) ? '' : '.';
  const given =
    'A variable that it logs in with is given to it if the task names it in `inherit-env` or `secrets`.';
  if (kind === 'auth') return `${end} ${login === '' ? given : `Log in with: ${login}`}`;
  if (kind !== 'unsupported') return '';
  const known = tested === undefined ? '' : ` (Piton was tested with ${tested.from})`;
  const old = `probably too old${known}: update it, and see \`piton agents\`.`;
  return hasArguments(spec)
    ? `${end} Correct \`args\` of the task, if it comes from there; else it is ${old}`
    : `${end} It is ${old}`;
}

/** Of the person's own, which may be what the agent does not understand. */
function hasArguments({ work }: TaskSpec): boolean {
  return work.type === 'agent' && Object.keys(work.args).length > 0;
}

/** What is hidden from a person cannot be allowed by one, and would never be recognised as allowed. */
export function unapprovable({ title }: Agent, asked: Outcome): Outcome {
  const what = asked.type === 'asked' ? asked.text : title;
  const message = `${what}: that call holds a secret, so it cannot be shown and allowed. Allow it with \`permissions\`, or let it get the secret from its environment.`;
  return { type: 'failed', failure: { ...traits.denied, message } };
}
