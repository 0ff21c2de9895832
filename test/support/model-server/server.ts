/** A model to talk to on the loopback: it speaks four APIs, does what the prompt says, and remembers what it was told. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import type { Dialect, HttpReply, JsonObject, Question, Said } from './conversation.ts';
import { decide, type Decision, type IsInForce } from './decide.ts';
import { gemini } from './gemini.ts';
import { responses } from './responses.ts';
import { placeIn } from './script.ts';

export interface LoggedRequest {
  readonly at: number;
  readonly api: Dialect['api'];
  readonly model: string;
  readonly said: readonly Said[];
  readonly tools: readonly string[];
  /** Set for what the CLI asked on its own account, such as a title. */
  readonly side?: string;
  readonly reply: Decision['reply'];
  /** `cut` when the client went away first. */
  state: 'answering' | 'stalling' | 'answered' | 'cut';
}

export interface ModelServer {
  /** Without a path: `http://127.0.0.1:4711`. */
  readonly url: string;
  /** Requests to the model so far, oldest first. */
  log(): readonly LoggedRequest[];
  /** Paths that were asked for and are not known here: methods and paths, oldest first. */
  strays(): readonly string[];
  close(): Promise<void>;
}

export interface ModelServerOptions {
  readonly port?: number;
  /** Sees each request before it is answered, as it came. */
  readonly onRequest?: (path: string, body: string) => void;
}

interface Memory {
  readonly log: LoggedRequest[];
  readonly strays: string[];
  readonly isInForce: (question: Question) => IsInForce;
  readonly onRequest: (path: string, body: string) => void;
}

const dialects: readonly Dialect[] = [anthropic, responses, chat, gemini];

export async function startModelServer({
  port = 0,
  onRequest = () => {},
}: ModelServerOptions = {}): Promise<ModelServer> {
  const memory: Memory = { log: [], strays: [], isInForce: countingDirectives(), onRequest };
  const server = createServer((request, response) => {
    serve(request, response, memory).catch((error: unknown) => {
      send(response, { status: 500, headers: {}, body: { error: { message: String(error) } } });
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log: () => memory.log,
    strays: () => memory.strays,
    close: () => closed(server),
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** `[[fail:529:2]]` fails twice at the same place of a script. That much the server has to remember. */
function countingDirectives(): Memory['isInForce'] {
  const uses = new Map<string, number>();
  return (question) => (step) => {
    const key = JSON.stringify([step, placeIn(question.said)]);
    const used = uses.get(key) ?? 0;
    uses.set(key, used + 1);
    return used < step.times;
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, memory: Memory): Promise<void> {
  const path = new URL(request.url!, 'http://localhost').pathname;
  const body = await text(request);
  memory.onRequest(`${request.method} ${request.url}`, body);
  const dialect = dialects.find((one) => one.path.test(path));
  if (dialect && request.method === 'POST') await converse(dialect, { path, body, response, memory });
  else send(response, plainReply(`${request.method} ${path}`, memory));
}

function plainReply(asked: string, { log, strays }: Memory): HttpReply {
  if (asked === 'GET /log') return ok({ log: log as unknown as JsonObject[], strays });
  if (asked.endsWith('/count_tokens')) return ok({ input_tokens: 10 });
  if (asked.endsWith(':countTokens')) return ok({ totalTokens: 10 });
  strays.push(asked);
  return { status: 404, headers: {}, body: { error: { message: `nothing is served at ${asked}` } } };
}

function ok(body: JsonObject): HttpReply {
  return { status: 200, headers: {}, body };
}

interface Exchange {
  readonly path: string;
  readonly body: string;
  readonly response: ServerResponse;
  readonly memory: Memory;
}

async function converse(dialect: Dialect, { path, body, response, memory }: Exchange): Promise<void> {
  const question = dialect.read(JSON.parse(body) as JsonObject, path);
  const decision = decide(question, memory.isInForce(question));
  const entry = logged(dialect, question, decision);
  memory.log.push(entry);
  response.on('close', () => (entry.state = response.writableFinished ? 'answered' : 'cut'));
  const { reply } = decision;
  if (reply.type === 'refusal') send(response, dialect.refuse(reply.refusal));
  else if (question.isStream)
    await stream(dialect.stream(reply.answer, question.model), { response, decision, entry });
  else send(response, ok(dialect.whole(reply.answer, question.model) as JsonObject));
}

function logged(dialect: Dialect, question: Question, { reply }: Decision): LoggedRequest {
  const { model, said, tools, side } = question;
  return {
    at: Date.now(),
    api: dialect.api,
    model,
    said,
    tools: tools.map((tool) => tool.name),
    ...(side !== undefined && { side: side.kind }),
    reply,
    state: 'answering',
  };
}

async function stream(
  parts: { readonly opening: string; readonly rest: string },
  to: { readonly response: ServerResponse; readonly decision: Decision; readonly entry: LoggedRequest },
): Promise<void> {
  const { response, decision, entry } = to;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(parts.opening);
  if (decision.stallMs > 0) {
    entry.state = 'stalling';
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    await pause(decision.stallMs, undefined, { signal: gone.signal }).catch(() => {});
  }
  response.end(parts.rest);
}

function send(response: ServerResponse, { status, headers, body }: HttpReply): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
