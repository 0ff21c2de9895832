/** What the agent of our own that speaks ACP can be told to do. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RequestError, type AgentContext, type StopReason } from '@agentclientprotocol/sdk';
import { eventually } from './eventually.ts';

/** Each step has one of the names. */
export interface AcpStep {
  /** In one piece, or in several; `as`: the id of the message. */
  readonly say?: string | readonly string[];
  readonly as?: string;
  readonly think?: string;
  /** Any update, as it is. */
  readonly update?: object;
  readonly tool?: AcpTool;
  /** To be told with the answer. */
  readonly usage?: object;
  readonly stop?: StopReason;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
  /** A line that is no message. */
  readonly garbage?: string;
  /** Until the file is there, or the turn is cancelled. */
  readonly await?: string;
  readonly exit?: number;
  readonly die?: NodeJS.Signals;
  /** Says the prompts of the session's earlier turns. */
  readonly recall?: true;
  /** Reads a file by the client, which offers no such thing. */
  readonly demand?: string;
}

export interface AcpTool {
  readonly kind?: string;
  readonly title?: string;
  readonly input?: object;
  /** Asks before; `always`: offers nothing less than everything. */
  readonly ask?: boolean | 'always';
  /** A command that is really run, in a session of its own. */
  readonly run?: string;
  readonly output?: string;
}

export interface AcpSession {
  readonly prompts: string[];
  readonly said: string[];
  cancelled?: boolean;
  usage?: object;
}

export interface AcpScene {
  readonly client: AgentContext;
  readonly id: string;
  readonly session: AcpSession;
  /** Where it leaves what tests look at. */
  readonly home: string;
}

export function tell({ client, id }: Pick<AcpScene, 'client' | 'id'>, update: object): Promise<void> {
  return client.notify<object>('session/update', { sessionId: id, update });
}

export function chunk(sessionUpdate: string, text: string, messageId?: string): object {
  return { sessionUpdate, content: { type: 'text', text }, ...(messageId !== undefined && { messageId }) };
}

/** Why the turn ends here, if it does. */
export async function playStep(step: AcpStep, scene: AcpScene): Promise<StopReason | undefined> {
  const name = Object.keys(plays).find((one) => Object.hasOwn(step, one))!;
  const ending = await plays[name]!(step, scene);
  return scene.session.cancelled === true ? 'cancelled' : (ending ?? undefined);
}

type Play = (step: AcpStep, scene: AcpScene) => Promise<StopReason | void> | StopReason | void;

const plays: Readonly<Record<string, Play>> = {
  async say({ say, as }, scene) {
    const pieces = [say!].flat() as string[];
    for (const piece of pieces) await tell(scene, chunk('agent_message_chunk', piece, as));
    scene.session.said.push(pieces.join(''));
  },
  think: ({ think }, scene) => tell(scene, chunk('agent_thought_chunk', think!)),
  update: ({ update }, scene) => tell(scene, update!),
  tool: ({ tool }, scene) => useTool(tool!, scene),
  usage({ usage }, { session }) {
    session.usage = usage!;
  },
  stop: ({ stop }) => stop!,
  error({ error }) {
    throw new RequestError(error!.code, error!.message, error!.data);
  },
  garbage: ({ garbage }) => void writeSync(1, `${garbage}\n`),
  await: ({ await: file }, { session }) =>
    eventually(file!, () => existsSync(file!) || session.cancelled === true, 60_000),
  exit: ({ exit }) => process.exit(exit!),
  die: ({ die }) => void process.kill(process.pid, die!),
  recall: (_step, scene) =>
    tell(scene, chunk('agent_message_chunk', scene.session.prompts.slice(0, -1).join('|'))),
  demand: ({ demand }, { client, id }) =>
    client.request('fs/read_text_file', { sessionId: id, path: demand! }).then(() => undefined),
};

let calls = 0;

async function useTool(tool: AcpTool, scene: AcpScene): Promise<StopReason | void> {
  const toolCallId = `call-${(calls += 1)}`;
  const { kind = 'execute', title = 'a tool', input = {} } = tool;
  const known = { toolCallId, kind, title, rawInput: input };
  // As the real ones: what it is to do is not told at first.
  await tell(scene, { ...known, sessionUpdate: 'tool_call', status: 'pending', rawInput: {} });
  if (tool.ask !== undefined && !(await isPermitted(tool.ask, known, scene))) return 'cancelled';
  await tell(scene, { ...known, sessionUpdate: 'tool_call_update', status: 'in_progress' });
  const text = tool.run === undefined ? (tool.output ?? 'done') : await runCommand(tool.run);
  const content = [{ type: 'content', content: { type: 'text', text } }];
  await tell(scene, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content });
}

async function isPermitted(
  ask: boolean | 'always',
  toolCall: object,
  { client, id, home }: AcpScene,
): Promise<boolean> {
  const options = [
    { optionId: 'for-ever', name: 'Always', kind: 'allow_always' },
    ...(ask === 'always' ? [] : [{ optionId: 'once', name: 'Once', kind: 'allow_once' }]),
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const { outcome } = await client.request<{ outcome: { outcome: string; optionId?: string } }, object>(
    'session/request_permission' as string,
    { sessionId: id, toolCall, options },
  );
  if (outcome.outcome !== 'selected') return false;
  writeFileSync(join(home, 'chosen'), outcome.optionId!);
  return true;
}

function runCommand(command: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (piece: Buffer) => (output += String(piece)));
  return new Promise((settle) => child.on('close', () => settle(output)));
}
