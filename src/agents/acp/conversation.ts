import type { ClientContext } from '@agentclientprotocol/sdk';
import type { Json, JsonObject } from '../../base/index.ts';
import type { FailureKind } from '../contract.ts';
import { at, countAt, entryOf, objectOf, textAt } from '../json-fields.ts';
import { FailedConversation, failureIn, failureToOpen } from './failed-conversation.ts';
import type { Listener } from './listener.ts';
import type { Order } from './order.ts';
import { applySettings, currentModel, type Call } from './settings.ts';
import { say } from './voice.ts';

export interface Conversation {
  readonly agent: ClientContext;
  readonly order: Order;
  readonly prompt: string;
  readonly listener: Listener;
}

/** One turn, from the greeting to the answer. Throws `FailedConversation`, and what the connection throws when it breaks. */
export async function converse(conversation: Conversation): Promise<string> {
  const { agent, order, listener } = conversation;
  const introduction = await introduce(agent, order.patienceMs);
  const opened = await openSession(conversation, introduction);
  const session = textAt(opened, 'sessionId')!;
  announce(opened, { introduction, model: order.model });
  const inSession: Call = (method, params) => request(agent, method, { sessionId: session, ...params });
  try {
    await applySettings(order, opened, inSession);
    listener.begin(session);
    void listener.halted.then(() => cancel(agent, session));
    const content = [{ type: 'text', text: conversation.prompt }];
    return answerIn(await inSession('session/prompt', { prompt: content }), listener);
  } catch (error) {
    throw failureIn(error, introduction);
  }
}

/** If it is gone in the meantime, it has ended as well. */
async function cancel(agent: ClientContext, sessionId: string): Promise<void> {
  await agent.notify('session/cancel', { sessionId }).catch(() => undefined);
}

/** As text: what is of a later protocol than ours has no types. */
function request(agent: ClientContext, method: string, params: JsonObject): Promise<Json> {
  return agent.request<Json, JsonObject>(method, params);
}

const protocolVersion = 1;

async function introduce(agent: ClientContext, patienceMs: number): Promise<JsonObject> {
  const params = {
    protocolVersion,
    // Without these an agent uses its own: what it does then is not ours to do for it.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'piton', version: '1' },
  };
  const patience = AbortSignal.timeout(patienceMs);
  const answer = await agent
    .request<Json, JsonObject>('initialize', params, {
      cancellationSignal: patience,
      stopWaitingOnCancel: true,
    })
    .catch((error: unknown) => {
      if (patience.aborted) throw silent(patienceMs);
      throw failureIn(error, {});
    });
  const version = at(answer, 'protocolVersion');
  if (version === protocolVersion) return objectOf(answer)!;
  const spoken = `The agent speaks version ${String(version)} of the protocol, and not ${protocolVersion}.`;
  throw new FailedConversation('unsupported', spoken);
}

function silent(patienceMs: number): FailedConversation {
  const message = `The program did not answer within ${patienceMs / 1_000} s: is it one that speaks ACP?`;
  return new FailedConversation('unsupported', message);
}

/** What the agent says of the session, with its id. */
async function openSession({ agent, order }: Conversation, introduction: JsonObject): Promise<JsonObject> {
  const { session, directory } = order;
  const place = { cwd: directory, mcpServers: [] };
  if (session.type === 'new')
    return withSession(await request(agent, 'session/new', place).catch(rethrow(introduction)));
  const id = session.type === 'fork' ? session.of : session.id;
  const method = methodFor(session.type, objectOf(introduction['agentCapabilities']) ?? {});
  const answer = await request(agent, method, { sessionId: id, ...place }).catch((error: unknown) => {
    throw failureToOpen(error, introduction);
  });
  // The id of a copy is in the answer; otherwise it is the one that we have.
  return withSession(session.type === 'fork' ? answer : { ...objectOf(answer), sessionId: id });
}

function rethrow(introduction: JsonObject): (error: unknown) => never {
  return (error) => {
    throw failureIn(error, introduction);
  };
}

function withSession(answer: Json): JsonObject {
  if ((textAt(answer, 'sessionId') ?? '') !== '') return objectOf(answer)!;
  throw new FailedConversation('error', 'The agent has opened a session and given it no id.');
}

/** An agent that cannot go on in a session is told anew what was done: so it is a session that is missing. */
function methodFor(type: 'continue' | 'fork', capabilities: JsonObject): string {
  const sessions = objectOf(capabilities['sessionCapabilities']) ?? {};
  if (type === 'fork') {
    if (objectOf(sessions['fork']) !== undefined) return 'session/fork';
    const remedy = 'Remove `session: { fork: … }` from the task, or choose another agent.';
    throw new FailedConversation('unsupported', `This agent cannot copy a session. ${remedy}`);
  }
  if (objectOf(sessions['resume']) !== undefined) return 'session/resume';
  if (capabilities['loadSession'] === true) return 'session/load';
  throw new FailedConversation('session-missing', 'This agent cannot go on in an earlier session.');
}

interface Known {
  readonly introduction: JsonObject;
  readonly model: string | undefined;
}

/** Before anything else is done in it: whoever comes after a crash can go on there. */
function announce(opened: JsonObject, known: Known): void {
  const info = objectOf(known.introduction['agentInfo']);
  const version = [textAt(info, 'name'), textAt(info, 'version')]
    .filter((word) => word !== undefined)
    .join(' ');
  const model = known.model ?? currentModel(opened);
  say({
    event: 'opened',
    session: opened['sessionId']!,
    ...(version !== '' && { version }),
    ...(model !== undefined && { model }),
  });
}

function answerIn(response: Json, listener: Listener): string {
  const text = listener.end();
  sayUsage(objectOf(at(response, 'usage')), listener.isPriced);
  const reason = textAt(response, 'stopReason') ?? '';
  if (reason === 'end_turn' && listener.halt === undefined) return text;
  if (listener.halt !== undefined) throw new FailedConversation(listener.halt.kind, listener.halt.message);
  const [kind, message] = entryOf(cutShort, reason) ?? ['error', `The turn ended by "${reason}".`];
  throw new FailedConversation(kind, message);
}

const cutShort: Readonly<Record<string, readonly [FailureKind, string]>> = {
  refusal: ['refused', 'The agent refuses to go on.'],
  max_tokens: ['truncated', 'The answer was cut off: it is longer than the model may write.'],
  max_turn_requests: ['max-turns', 'It used all of its turns.'],
  cancelled: ['error', 'The turn was cancelled.'],
};

/** Of this turn. A price that was told for the session covers it. */
function sayUsage(usage: JsonObject | undefined, isPriced: boolean): void {
  if (usage === undefined) return;
  const cachedInput = countAt(usage, 'cachedReadTokens');
  const input = countAt(usage, 'inputTokens') + cachedInput + countAt(usage, 'cachedWriteTokens');
  const reasoning = countAt(usage, 'thoughtTokens');
  const output = countAt(usage, 'outputTokens') + reasoning;
  if (input + output === 0) return;
  say({
    event: 'used',
    input,
    output,
    cachedInput,
    reasoning,
    ...(isPriced && { costUsd: 0 }),
    cumulative: false,
  });
}
