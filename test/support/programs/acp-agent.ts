/**
 * An agent that speaks ACP over standard input and output, and does what its prompt says: a list of steps in a block
 * marked `steps`. `acp-agent.ts [--without resume,load,fork,new,answers,manners] [--protocol n]`; its sessions are files
 * in $ACP_HOME.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { agent, ndJsonStream, RequestError, type StopReason } from '@agentclientprotocol/sdk';
import { chunk, playStep, tell, type AcpSession, type AcpStep } from '../acp-steps.ts';

const option = (name: string): string | undefined =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;
const without = option('--without')?.split(',') ?? [];
const home = process.env['ACP_HOME']!;
const sessions = new Map<string, AcpSession>();

const fileOf = (id: string): string => join(home, `${id}.json`);
const keep = (id: string): void => writeFileSync(fileOf(id), JSON.stringify(sessions.get(id)));

function restore(id: string): AcpSession {
  if (!existsSync(fileOf(id))) throw RequestError.resourceNotFound(id);
  const session = JSON.parse(readFileSync(fileOf(id), 'utf8')) as AcpSession;
  sessions.set(id, session);
  return session;
}

const configOptions = [
  {
    id: 'which',
    name: 'Model',
    category: 'model',
    type: 'select' as const,
    currentValue: 'heron',
    options: [
      { group: 'small', name: 'Small', options: [{ value: 'heron', name: 'Heron' }] },
      { group: 'big', name: 'Big', options: [{ value: 'albatross', name: 'Albatross' }] },
    ],
  },
];

function create(session: AcpSession): { sessionId: string; configOptions: typeof configOptions } {
  const sessionId = `session-${process.pid}`;
  sessions.set(sessionId, session);
  keep(sessionId);
  return { sessionId, configOptions };
}

/** Those of the last prompt that has any: who goes on begins them anew. */
function stepsIn(prompts: readonly string[]): readonly AcpStep[] {
  const blocks = prompts.map((prompt) => /^```steps\n([\s\S]*?)\n```$/m.exec(prompt)?.[1]);
  return JSON.parse(blocks.findLast((block) => block !== undefined) ?? '[]') as AcpStep[];
}

const capabilities = {
  loadSession: !without.includes('load'),
  sessionCapabilities: {
    ...(!without.includes('resume') && { resume: {} }),
    ...(!without.includes('fork') && { fork: {} }),
  },
};

const app = agent({ name: 'acp-agent' })
  .onRequest('initialize', async () => {
    if (without.includes('answers')) await new Promise(() => undefined);
    return {
      protocolVersion: Number(option('--protocol') ?? 1),
      agentInfo: { name: 'Puppet', version: '3.2.1' },
      authMethods: [{ id: 'key', name: 'By key', description: 'type `puppet login`' }],
      agentCapabilities: capabilities,
    };
  })
  .onRequest('session/new', () => {
    if (without.includes('new')) throw RequestError.authRequired();
    return create({ prompts: [], said: [] });
  })
  .onRequest('session/resume', ({ params }) => {
    restore(params.sessionId);
    return { configOptions };
  })
  .onRequest('session/load', async ({ params: { sessionId: id }, client }) => {
    const { prompts, said } = restore(id);
    for (const text of prompts) await tell({ client, id }, chunk('user_message_chunk', text));
    for (const text of said) await tell({ client, id }, chunk('agent_message_chunk', text));
    return { configOptions };
  })
  .onRequest(
    'session/fork',
    (params) => params as { sessionId: string },
    ({ params }) => create(restore(params.sessionId)),
  )
  .onRequest('session/set_config_option', ({ params }) => {
    writeFileSync(join(home, 'model'), `${params.configId}=${String(params.value)}`);
    return { configOptions };
  })
  .onNotification('session/cancel', ({ params }) => {
    sessions.get(params.sessionId)!.cancelled = true;
  })
  .onRequest('session/prompt', async ({ params: { sessionId: id, prompt }, client }) => {
    const session = sessions.get(id)!;
    const text = prompt.map((block) => ('text' in block ? block.text : '')).join('');
    session.prompts.push(text);
    delete session.cancelled;
    let stopReason: StopReason | undefined;
    for (const step of stepsIn(session.prompts)) {
      keep(id);
      stopReason = await playStep(step, { client, id, session, home });
      if (stopReason !== undefined) break;
    }
    keep(id);
    return { stopReason: stopReason ?? 'end_turn', ...(session.usage && { usage: session.usage }) };
  });

const connection = app.connect(
  ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
);
// Without manners it outlives whoever it speaks with.
if (without.includes('manners')) setInterval(() => undefined, 60_000);
else await connection.closed.then(() => process.exit(0));
