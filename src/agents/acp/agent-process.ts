import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { Json, JsonObject } from '../../base/index.ts';
import { readObject, shorten } from '../json-fields.ts';
import { say } from './voice.ts';

export interface AgentExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The agent itself, as a child with pipes. What it writes on standard error is the attempt's. */
export interface AgentProcess {
  readonly stream: Stream;
  readonly exit: Promise<AgentExit>;
  /** Asks it to end by closing its input, then by signals; fulfilled when it is gone. */
  end(): Promise<void>;
}

/** `hear` is given what the agent tells of its session. Rejected if there is no such program. */
export async function startAgent(
  [program, ...args]: readonly string[],
  hear: (params: Json) => void,
): Promise<AgentProcess> {
  const child = spawn(program!, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = new Promise<AgentExit>((settle) => {
    child.on('exit', (code, signal) => settle({ code, signal }));
  });
  await new Promise<void>((settle, reject) => {
    child.once('spawn', settle);
    child.once('error', reject);
  });
  // It is gone: whoever waits for an answer is told by the end of its output.
  child.stdin.on('error', () => undefined);
  return {
    stream: { readable: messagesFrom(child.stdout, hear), writable: messagesTo(child.stdin) },
    exit,
    end: () => endChild(child, exit),
  };
}

/**
 * Lines that are no messages are told and not answered. What the agent tells of its session is heard here, in its order:
 * the kit would drop whatever is not of the schema that it was built with, and a call must not be missed for that.
 */
function messagesFrom(output: Readable, hear: (params: Json) => void): ReadableStream<AnyMessage> {
  return new ReadableStream<AnyMessage>({
    async start(controller) {
      for await (const line of linesOf(output)) {
        const message = readObject(line);
        if (message?.['method'] === 'session/update') hear(message['params'] ?? null);
        else if (message !== undefined) {
          if (!isKnown(message)) say({ event: 'unknown', kind: message['method'] ?? 'message' });
          controller.enqueue(message as unknown as AnyMessage);
        } else if (line.trim() !== '') say({ event: 'line', text: shorten(line, 300) });
      }
      controller.close();
    },
  });
}

/** Answers, what we answer, and extensions, which are about other things than calls. */
function isKnown(message: JsonObject): boolean {
  const { method } = message;
  if (method === undefined) return 'id' in message;
  return typeof method === 'string' && (method.startsWith('_') || knownMethods.has(method));
}

const knownMethods = new Set(['session/request_permission', '$/cancel_request']);

/** Ends of lines are those of the protocol alone: JSON may hold other characters that look like one. */
async function* linesOf(output: Readable): AsyncGenerator<string> {
  output.setEncoding('utf8');
  let begun: string[] = [];
  for await (const chunk of output as AsyncIterable<string>) {
    const [first, ...more] = chunk.split('\n');
    begun.push(first!);
    for (const next of more) {
      yield begun.join('');
      begun = [next];
    }
  }
  yield begun.join('');
}

function messagesTo(input: Writable): WritableStream<AnyMessage> {
  return new WritableStream<AnyMessage>({
    write: (message) => void input.write(`${JSON.stringify(message)}\n`),
  });
}

const patienceMs = { afterInput: 2_000, afterTerm: 1_000 };

/** By its input first: some then take their tools along, and leave them behind when they get a signal. */
async function endChild(child: ChildProcess, exit: Promise<AgentExit>): Promise<void> {
  child.stdin?.end();
  if (await isGoneWithin(patienceMs.afterInput, exit)) return;
  child.kill('SIGTERM');
  if (await isGoneWithin(patienceMs.afterTerm, exit)) return;
  child.kill('SIGKILL');
  await exit;
}

async function isGoneWithin(milliseconds: number, exit: Promise<AgentExit>): Promise<boolean> {
  const timer = new AbortController();
  const late = pause(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const isGone = await Promise.race([exit.then(() => true), late]);
  timer.abort();
  return isGone;
}
