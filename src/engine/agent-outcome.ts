import { readStructured, type Agent, type AgentEvent, type FailureKind } from '../agents/index.ts';
import type { Failure, Outcome, TaskSpec } from '../model/index.ts';
import { labelOf } from './agent-account.ts';
import { checkOutput, failureOf, type OutputLimits } from './call-function.ts';

/** Where a limit does not tell when it ends. */
const unknownLimitMs = 15 * 60_000;
const shortestLimitMs = 1_000;

/** What the events of a whole stream mean. Exit 0 is not success: only a result is, and its output has to fit. */
export async function outcomeOfAgent(
  events: readonly AgentEvent[],
  { agent, spec, now }: { readonly agent: Agent; readonly spec: TaskSpec; readonly now: number },
  limits: OutputLimits,
): Promise<Outcome> {
  const result = events.find((event) => event.type === 'result');
  if (result !== undefined) return succeed(result, spec, limits);
  const failure = events.find((event) => event.type === 'failure');
  if (failure === undefined) return failed(agent, 'error', 'it ended without a result');
  if (failure.kind === 'limit') return delayed(events, failure.message, { agent: agent.name, now });
  if (failure.kind === 'session-missing') {
    return { type: 'interrupted', reason: failure.message, graceful: true, sessionLost: true };
  }
  const asked = events.findLast((event) => event.type === 'asked');
  if (failure.kind === 'asked' && asked !== undefined) return question(agent, asked);
  // It can go on in its session, if a person lets it: the budget is looked at before it would start.
  if (failure.kind === 'budget') return { type: 'interrupted', reason: failure.message };
  return failed(agent, failure.kind, failure.message);
}

/** What it stands before is asked of a person, who can let it go on. */
function question(
  { title }: Agent,
  { tool, input, reason }: Extract<AgentEvent, { type: 'asked' }>,
): Outcome {
  const why = reason === '' ? '' : ` (${reason})`;
  const text = `${title} asks to use ${labelOf({ name: tool, input })}${why}`;
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

type FailureTraits = Pick<Failure, 'code' | 'retryable'> & Partial<Pick<Failure, 'class'>>;

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
  network: { code: 'AGENT_FAILED', retryable: true, class: 'transient' },
  unsupported: { code: 'AGENT_TOO_OLD', retryable: false, class: 'permanent' },
  error: { code: 'AGENT_FAILED', retryable: true },
};

function failed(agent: Agent, kind: keyof typeof traits, said: string): Outcome {
  const message = `${agent.title}: ${said}${remedyFor(agent, kind)}`;
  return { type: 'failed', failure: { ...traits[kind], message } };
}

function remedyFor({ login, tested }: Agent, kind: FailureKind): string {
  if (kind === 'auth' && login !== '') return ` Log in with: ${login}`;
  if (kind !== 'unsupported') return '';
  const known = tested === undefined ? '' : ` (Piton was tested with ${tested.from})`;
  return ` It is probably too old${known}: update it, and see \`piton agents\`.`;
}
