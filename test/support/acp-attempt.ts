/** An attempt of the acp adapter with an agent of our own: the real client, its output in a file, as in a run. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { agentNamed, type AgentEvent, type AgentRequest } from '../../src/agents/index.ts';
import { requestOf } from '../contracts/agent.ts';
import type { AcpStep } from './acp-steps.ts';
import { builtProgram } from './built.ts';
import { compileCache } from './compile-cache.ts';
import { temporaryFolder } from './temporary-folder.ts';

const acp = agentNamed('acp');
const program = builtProgram('acp-agent');

export const puppet: readonly string[] = [process.execPath, program];

export interface AcpAttempt {
  readonly child: ChildProcess;
  /** What the client has printed so far. */
  printed(): string;
  ended(): Promise<{ readonly code: number; readonly events: readonly AgentEvent[] }>;
}

export interface AcpPlace {
  readonly folder: string;
  /** `patienceMs`: how long the agent may take until it answers at all. */
  start(steps: readonly AcpStep[], more?: Partial<AgentRequest>, patienceMs?: number): AcpAttempt;
  /** What the agent has kept under a name. */
  kept(name: string): string;
}

/** Our attempts share the sessions of the agent. */
export function acpPlace(): AcpPlace {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  mkdirSync(home);
  let attempts = 0;
  return {
    folder,
    kept: (name) => readFileSync(join(home, name), 'utf8'),
    start(steps, more = {}, patienceMs = 20_000) {
      const attempt = join(folder, `attempt-${(attempts += 1)}`);
      mkdirSync(attempt);
      const request = { directory: folder, folder: attempt, args: puppet, prompt: promptFor(steps), ...more };
      return startAttempt(requestOf(request), patienceMs, { ACP_HOME: home });
    },
  };
}

export function promptFor(steps: readonly AcpStep[], words = 'Play.'): string {
  return steps.length === 0 ? words : `${words}\n\n\`\`\`steps\n${JSON.stringify(steps)}\n\`\`\``;
}

function startAttempt(request: AgentRequest, patienceMs: number, env: Record<string, string>): AcpAttempt {
  const { folder, directory } = request;
  const command = acp.command(request);
  for (const [name, content] of Object.entries(command.files))
    writeFileSync(join(folder, name), JSON.stringify({ ...(JSON.parse(content) as object), patienceMs }));
  writeFileSync(join(folder, 'input'), command.input ?? '');
  const child = spawn(command.argv[0]!, command.argv.slice(1), {
    cwd: directory,
    env: { PATH: process.env['PATH'], ...compileCache, ...env },
    stdio: [
      openSync(join(folder, 'input'), 'r'),
      openSync(join(folder, 'out'), 'w'),
      openSync(join(folder, 'err'), 'w'),
    ],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = new Promise<number>((settle) =>
    child.on('exit', (code, signal) => settle(code ?? (signal === 'SIGKILL' ? 137 : 143))),
  );
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return {
    child,
    printed: () => read('out'),
    async ended() {
      const code = await exit;
      const parser = acp.parser({ now: 0 });
      const lines = read('out').split('\n').slice(0, -1);
      const told = lines.flatMap((line) => [...parser.line(line)]);
      return { code, events: [...told, ...parser.end({ code, timedOut: false }, read('err'))] };
    },
  };
}
