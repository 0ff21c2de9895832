/** The agent CLIs that are tested for real, and where they are. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { cacheFolder } from '../../src/base/index.ts';

export type AgentCliName = 'claude' | 'codex' | 'gemini' | 'opencode';

/** A program that is installed to be tested with. */
export interface TestedProgram {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** What its package runs after an install to put the native program in place. */
  readonly setup?: string;
}

export interface AgentCli extends TestedProgram {
  readonly name: AgentCliName;
}

export const agentClis: readonly AgentCli[] = [
  { name: 'claude', package: '@anthropic-ai/claude-code', version: '2.1.325', setup: 'install.cjs' },
  { name: 'codex', package: '@openai/codex', version: '0.166.0' },
  { name: 'gemini', package: '@google/gemini-cli', version: '0.61.0' },
  { name: 'opencode', package: 'opencode-ai', version: '1.18.33', setup: 'postinstall.mjs' },
];

/** Speaks ACP in the place of Claude Code, and brings that with it. */
export const claudeOverAcp: TestedProgram = {
  name: 'claude-agent-acp',
  package: '@agentclientprotocol/claude-agent-acp',
  version: '0.99.0',
};

export const testedPrograms: readonly TestedProgram[] = [...agentClis, claudeOverAcp];

/** Those that are there, as `npm run test:agents` has found; without it all, so that a missing one fails. */
export function testedClis(): readonly AgentCli[] {
  return agentClis.filter(({ name }) => isTested(name));
}

export function isTested(name: string): boolean {
  return process.env['PITON_TESTED_AGENTS']?.split(',').includes(name) ?? true;
}

/** Outside of the repository; each CLI has a folder of its own in it. */
export function agentsFolder(): string {
  return process.env['PITON_AGENTS'] ?? cacheFolder('test-agents');
}

export function binFolder(name: string): string {
  return join(agentsFolder(), name, 'node_modules', '.bin');
}

/** Nothing of the person's own PATH: Node for the CLIs written in it, and what every system has. */
export function searchPath(name: string): string {
  return [binFolder(name), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
}

/** Asked of the program itself: a package without its native program is not installed. */
export function installedVersion({ name }: Pick<TestedProgram, 'name'>): string | undefined {
  const file = join(binFolder(name), name);
  if (!existsSync(file)) return undefined;
  const home = join(agentsFolder(), 'home');
  const { stdout } = spawnSync(file, ['--version'], {
    env: { PATH: searchPath(name), HOME: home, CODEX_HOME: join(home, 'codex') },
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0];
}
