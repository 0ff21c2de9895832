/** The program between us and an agent that speaks ACP. `client.ts <order file> <agent> [argument…]`, the prompt on standard input. */
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { client } from '@agentclientprotocol/sdk';
import { asError, type Json, type JsonObject } from '../../base/index.ts';
import { startAgent, type AgentProcess } from './agent-process.ts';
import { converse, type Conversation } from './conversation.ts';
import { FailedConversation } from './failed-conversation.ts';
import { Listener } from './listener.ts';
import type { Order } from './order.ts';
import { say } from './voice.ts';

/** How long an agent may take to end a turn that it was asked to end. */
const cancelMs = 1_500;
/** As a shell says that there is no such program. */
const missingProgram = 127;

/** The last words, if there is anything to say, and the exit code. */
interface Ending {
  readonly words?: JsonObject;
  readonly code: number;
}

async function main([orderFile, ...argv]: readonly string[]): Promise<number> {
  if (orderFile === undefined) return refuse('Name the file with the order.', 2);
  const order = JSON.parse(readFileSync(orderFile, 'utf8')) as Order;
  const prompt = readFileSync(0, 'utf8');
  if (argv.length === 0) return finish(failedBy(unnamed));
  const listener = new Listener(order);
  const agent = await startAgent(argv, (params) => listener.hear(params)).catch(asError);
  if (agent instanceof Error) return refuse(`${argv[0]} cannot be started: ${agent.message}`, missingProgram);
  const code = finish(await speakWith(agent, listener, { order, prompt }));
  await agent.end();
  return code;
}

const unnamed = new FailedConversation(
  'unsupported',
  'No agent is named. Give its command line in `args`, as `args: [opencode, acp]`.',
);

async function speakWith(
  agent: AgentProcess,
  listener: Listener,
  task: Pick<Conversation, 'order' | 'prompt'>,
): Promise<Ending> {
  const interruption = listenForSignals(listener);
  const connection = client({ name: 'piton' })
    .onRequest('session/request_permission', asJson, ({ params }) => listener.answer(params))
    .connect(agent.stream);
  const turn = converse({ ...task, agent: connection.agent, listener });
  const ending = await Promise.race([
    turn.then(succeeded, (error: unknown) => {
      listener.end();
      return connection.signal.aborted && !(error instanceof FailedConversation)
        ? endingOf(agent)
        : failedBy(asFailure(error));
    }),
    listener.halted.then(() => pause(cancelMs)).then(() => cutOff(listener)),
  ]);
  // Who was asked to end has not failed: it can go on in its session.
  return ending.code !== 0 && interruption.code !== undefined ? { code: interruption.code } : ending;
}

const asJson = (params: unknown): Json => params as Json;

function succeeded(text: string): Ending {
  return { words: { event: 'ended', text }, code: 0 };
}

function failedBy({ kind, message }: Pick<FailedConversation, 'kind' | 'message'>): Ending {
  return { words: { event: 'failed', kind, message }, code: 1 };
}

function asFailure(error: unknown): Pick<FailedConversation, 'kind' | 'message'> {
  return error instanceof FailedConversation ? error : { kind: 'error', message: asError(error).message };
}

/** An agent that is gone ends the client as it ended itself: then it is judged as any other that ended so. */
async function endingOf(agent: AgentProcess): Promise<Ending> {
  await agent.end();
  const { code, signal } = await agent.exit;
  return { code: signal === null ? (code ?? 1) : 128 + constants.signals[signal] };
}

/** It does not end the turn: what was wrong is known all the same. */
function cutOff(listener: Listener): Ending {
  listener.end();
  return failedBy(listener.halt ?? { kind: 'error', message: 'The turn was cancelled.' });
}

/** The turn is cancelled at the agent, so that it keeps what it has; the code is that of the signal. */
function listenForSignals(listener: Listener): { code?: number } {
  const interruption: { code?: number } = {};
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interruption.code ??= 128 + constants.signals[signal];
      listener.cancel();
    });
  }
  return interruption;
}

function finish({ words, code }: Ending): number {
  if (words !== undefined) say(words);
  return code;
}

function refuse(text: string, code: number): number {
  process.stderr.write(`${text}\n`);
  return code;
}

process.exit(await main(process.argv.slice(2)));
