/** One turn of a real agent CLI, through its adapter and without a run around it. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { agentNamed, type AgentEvent, type AgentRequest } from '../../src/agents/index.ts';
import { requestOf } from '../contracts/agent.ts';
import type { AgentHome } from './agent-home.ts';

export async function agentTurn(
  home: AgentHome,
  more: Partial<AgentRequest>,
): Promise<readonly AgentEvent[]> {
  const agent = agentNamed(home.cli);
  const request = requestOf({ directory: home.project, permissions: 'edit', folder: home.home, ...more });
  const { argv, env, input, files } = agent.command(request);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(home.home, name), content);
  const child = spawn(home.executable, argv.slice(1), { cwd: home.project, env: { ...home.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(input);
  const code = new Promise<number>((settle) => child.on('close', (exit) => settle(exit ?? 137)));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const parser = agent.parser({ now: Date.now() });
  const told = stdout.split('\n').flatMap((line) => [...parser.line(line)]);
  return [...told, ...parser.end({ code: await code, timedOut: false }, stderr)];
}
