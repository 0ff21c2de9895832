import { readFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from './support/eventually.ts';
import { startModelServer, type ModelServer } from './support/model-server/index.ts';

type Api = 'anthropic' | 'responses' | 'chat' | 'gemini';
interface Asked {
  readonly path: string;
  readonly body: object;
}

/** The same question, as each API puts it. */
const ask: Record<Api, (prompt: string) => Asked> = {
  anthropic: (prompt) => ({
    path: '/v1/messages?beta=true',
    body: {
      model: 'm',
      stream: true,
      tools: [{ name: 'Bash', input_schema: { properties: { command: {} } } }],
      messages: [{ role: 'user', content: prompt }],
    },
  }),
  responses: (prompt) => ({
    path: '/v1/responses',
    body: {
      model: 'm',
      stream: true,
      tools: [{ type: 'function', name: 'exec_command', parameters: { properties: { cmd: {} } } }],
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] }],
    },
  }),
  chat: (prompt) => ({
    path: '/v1/chat/completions',
    body: {
      model: 'm',
      stream: true,
      tools: [{ type: 'function', function: { name: 'bash', parameters: { properties: { command: {} } } } }],
      messages: [{ role: 'user', content: prompt }],
    },
  }),
  gemini: (prompt) => ({
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: {
      tools: [{ functionDeclarations: [{ name: 'run_shell_command' }] }],
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
    },
  }),
};
const apis = Object.keys(ask) as Api[];

async function modelServer(): Promise<ModelServer> {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  return server;
}

function post(server: ModelServer, { path, body }: Asked, signal?: AbortSignal): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) });
}

test.each(apis)(
  '%s: the model says what the prompt tells it to, and ok when it tells nothing',
  async (api) => {
    const server = await modelServer();
    expect(await (await post(server, ask[api]('Greet. [[say:good morning]]'))).text()).toContain(
      'good morning',
    );
    await (await post(server, ask[api]('Greet.'))).text();
    expect(server.log().map((request) => request.reply)).toEqual([
      { type: 'answer', answer: { text: 'good morning', ending: 'done' } },
      { type: 'answer', answer: { text: 'ok', ending: 'done' } },
    ]);
  },
);

test.each(apis)('%s: a command is called by the name of the tool that was offered', async (api) => {
  const server = await modelServer();
  const names = { anthropic: 'Bash', responses: 'exec_command', chat: 'bash', gemini: 'run_shell_command' };
  const answer = await (await post(server, ask[api]('Look. [[shell:ls -l]]'))).text();
  expect(answer).toContain(names[api]);
  expect(answer).toContain('ls -l');
});

test.each(apis)(
  '%s: a limit is told as that service tells it, and ends after the times it counts',
  async (api) => {
    const server = await modelServer();
    const limited = await post(server, ask[api]('Greet. [[limit:3600:1]] [[say:at last]]'));
    expect(limited.status).toBe(429);
    const told = JSON.stringify([...limited.headers]) + (await limited.text());
    expect(told).toContain('3600');
    expect(await (await post(server, ask[api]('Greet. [[limit:3600:1]] [[say:at last]]'))).text()).toContain(
      'at last',
    );
  },
);

test.each(apis)('%s: a stalling model has begun to answer, and the log shows who left it', async (api) => {
  const server = await modelServer();
  const leave = new AbortController();
  const response = await post(server, ask[api]('[[say:well]] [[stall:600]]'), leave.signal);
  const { value } = await response.body!.getReader().read();
  expect(new TextDecoder().decode(value)).toContain('well');
  expect(server.log()[0]!.state).toBe('stalling');
  leave.abort();
  await eventually('the cut is noticed', () => server.log()[0]!.state === 'cut');
});

test('a script goes on after each call, by the calls that the request shows', async () => {
  const server = await modelServer();
  const { path, body } = ask.anthropic('[[shell:one]] [[shell:two]] [[say:finished]]');
  const called = (id: string): object[] => [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'fine' }] },
  ];
  const { messages } = body as { messages: object[] };
  const answers: string[] = [];
  for (const more of [[], called('a'), [...called('a'), ...called('b')]]) {
    const response = await post(server, { path, body: { ...body, messages: [...messages, ...more] } });
    answers.push(await response.text());
  }
  expect(answers[0]).toContain('one');
  expect(answers[1]).toContain('two');
  expect(answers[2]).toContain('finished');
  expect(server.log()[2]!.said.map((said) => said.type)).toEqual([
    'text',
    'call',
    'result',
    'call',
    'result',
  ]);
});

test('a title asked for by the CLI itself is answered and marked, whatever the prompt says', async () => {
  const server = await modelServer();
  const messages = [
    { role: 'system', content: 'You are a title generator.' },
    { role: 'user', content: 'Greet. [[fail:401]]' },
  ];
  const response = await post(server, {
    path: '/v1/chat/completions',
    body: { model: 'm', stream: true, messages },
  });
  expect(response.status).toBe(200);
  expect(server.log()[0]!.side).toBe('title');
});

test('recorded streams tell nothing of the machine they were recorded on', () => {
  const folder = join(import.meta.dirname, 'fixtures', 'agents');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.jsonl?$/.test(name),
  );
  const traces = new RegExp(`"/tmp/|piton-record-|${homedir()}/|${process.cwd()}/`);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((name) => traces.test(readFileSync(join(folder, name), 'utf8')))).toEqual([]);
});
