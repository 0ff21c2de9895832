/** Plays a part with the real player: its output goes to a file, as in a run. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { agentNamed, type AgentEvent, type AgentRequest } from '../../src/agents/index.ts';
import { requestOf } from '../contracts/agent.ts';
import { compileCache } from '../support/compile-cache.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const scripted = agentNamed('scripted');

export interface Performance {
  readonly child: ChildProcess;
  /** The bytes written so far. */
  written(): Buffer;
  /** All events; call it when the process has ended. */
  ended(): Promise<{ readonly code: number; readonly events: readonly AgentEvent[] }>;
}

/** A folder for a project, its sessions and what attempts leave. */
export function theatre(): string {
  return temporaryFolder();
}

let attempts = 0;

export function startPlaying(
  folder: string,
  more: Partial<AgentRequest>,
  env: Record<string, string> = {},
): Performance {
  const attempt = join(folder, `attempt-${(attempts += 1)}`);
  mkdirSync(attempt);
  const command = scripted.command(requestOf({ directory: folder, folder: attempt, ...more }));
  for (const [name, content] of Object.entries({ ...command.files, input: command.input ?? '' })) {
    writeFileSync(join(attempt, name), content);
  }
  const startedAt = Date.now();
  const [program, ...args] = command.argv;
  const child = spawn(program!, args, {
    cwd: folder,
    env: {
      ...compileCache,
      PATH: process.env['PATH'],
      PITON_SCRIPTED_HOME: join(folder, 'sessions'),
      ...env,
    },
    stdio: [
      openSync(join(attempt, 'input'), 'r'),
      openSync(join(attempt, 'out'), 'w'),
      openSync(join(attempt, 'err'), 'w'),
    ],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = new Promise<number>((settle) =>
    child.on('close', (code, signal) => settle(code ?? (signal === 'SIGKILL' ? 137 : 143))),
  );
  return {
    child,
    written: () => readFileSync(join(attempt, 'out')),
    ended: async () => {
      const code = await exit;
      const lines = readFileSync(join(attempt, 'out'), 'utf8').split('\n').slice(0, -1);
      const parser = scripted.parser({ now: startedAt });
      const stderr = readFileSync(join(attempt, 'err'), 'utf8');
      const told = lines.flatMap((line) => [...parser.line(line)]);
      return { code, events: [...told, ...parser.end({ code, timedOut: false }, stderr)] };
    },
  };
}

/** A prompt with the part written in it; JSON is YAML. */
export function promptFor(part: object, words = 'Play.'): string {
  return `${words}\n\n\`\`\`part\n${JSON.stringify(part)}\n\`\`\`\n`;
}
