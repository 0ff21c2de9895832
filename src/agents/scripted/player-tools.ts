import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { asError, type Json, type JsonObject } from '../../base/index.ts';
import { at, showJson, textAt } from '../json-fields.ts';
import { askFor } from './asking.ts';
import type { Ending, Stage } from './stage.ts';
import { say } from './voice.ts';

interface ToolCall {
  readonly name: string;
  readonly input: JsonObject;
  /** What it gives, or the reason why it failed as an exception. */
  readonly work: () => string | Promise<string>;
}

export function runCommand(given: Json, stage: Stage): Promise<Ending> {
  const command = showJson(given);
  return callTool({ name: 'Shell', input: { command }, work: () => runInShell(command) }, stage);
}

export function editFile(given: Json, stage: Stage): Promise<Ending> {
  const [file, text] = [textAt(given, 'file') ?? '', textAt(given, 'text') ?? ''];
  return callTool({ name: 'Edit', input: { file, text }, work: () => writeText(file, text) }, stage);
}

export function readFile(given: Json, stage: Stage): Promise<Ending> {
  const file = showJson(given);
  return callTool({ name: 'Read', input: { file }, work: () => readFileSync(file, 'utf8') }, stage);
}

export function useTool(given: Json, stage: Stage): Promise<Ending> {
  const output = showJson(at(given, 'output'));
  const work = (): string => {
    if (at(given, 'failed') === true) throw new Error(output);
    return output;
  };
  const input = { ...(at(given, 'input') as JsonObject | undefined) };
  return callTool({ name: textAt(given, 'name') ?? 'Custom', input, work }, stage);
}

async function callTool(call: ToolCall, stage: Stage): Promise<Ending> {
  const { order } = stage.setting;
  stage.toolCalls += 1;
  if (order.maxTurns !== undefined && stage.toolCalls > order.maxTurns) {
    say({ event: 'failed', kind: 'max-turns', message: `It used all of its ${order.maxTurns} turns.` });
    return 1;
  }
  const asked = isAllowed(call, stage) ? undefined : askFor(callOf(call), stage);
  if (asked !== undefined) return asked;
  const id = `call-${stage.toolCalls}`;
  say({ event: 'tool', id, name: call.name, input: call.input });
  say({ event: 'tool-ended', id, ...(await outcomeOf(call)) });
  return undefined;
}

function callOf({ name, input }: ToolCall): Parameters<typeof askFor>[0] {
  return { tool: name, input, reason: 'its permissions do not allow it' };
}

async function outcomeOf(call: ToolCall): Promise<JsonObject> {
  try {
    return { failed: false, output: await call.work() };
  } catch (error) {
    return { failed: true, output: asError(error).message };
  }
}

function isAllowed({ name, input }: ToolCall, { setting }: Stage): boolean {
  const { permissions, allowedCommands } = setting.order;
  if (permissions === 'full' || name === 'Read') return true;
  if (permissions === 'read') return false;
  const command = textAt(input, 'command') ?? '';
  if (permissions === 'edit')
    return name === 'Edit' || (name === 'Shell' && allowedCommands.includes(command));
  return permissions.includes(name) || permissions.includes(`${name}(${command})`);
}

function writeText(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return `${file} was written.`;
}

/** In a session of its own, as the tools of the real ones: it outlives a player that is killed. */
function runInShell(command: string): Promise<string> {
  const tool: { child?: ChildProcess } = {};
  // Before it begins: asked to end in this moment, the player would else leave it behind.
  const release = endTogether(tool);
  const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  tool.child = child;
  return new Promise((fulfil, reject) => {
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      release();
      const output = Buffer.concat(chunks).toString('utf8');
      if (code === 0) fulfil(output);
      else reject(new Error(`${output}Exit code ${code ?? signal}`));
    });
  });
}

/** Asked to end, the player takes the tool with it. */
function endTogether(tool: { readonly child?: ChildProcess }): () => void {
  const end = (): void => {
    try {
      if (tool.child !== undefined) process.kill(-tool.child.pid!, 'SIGKILL');
    } finally {
      process.exit(143);
    }
  };
  process.once('SIGTERM', end);
  return () => void process.off('SIGTERM', end);
}
