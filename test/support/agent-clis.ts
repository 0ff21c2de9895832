/** The agent CLIs that are tested for real, and where they are. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

export type AgentCliName = 'claude' | 'codex' | 'gemini' | 'opencode';

export interface AgentCli {
  readonly name: AgentCliName;
  readonly package: string;
  readonly version: string;
  /** What its package runs after an install to put the native program in place. */
  readonly setup?: string;
}

export const agentClis: readonly AgentCli[] = [
  { name: 'claude', package: '@anthropic-ai/claude-code', version: '2.1.325', setup: 'install.cjs' },
  { name: 'codex', package: '@openai/codex', version: '0.166.0' },
  { name: 'gemini', package: '@google/gemini-cli', version: '0.61.0' },
  { name: 'opencode', package: 'opencode-ai', version: '1.18.33', setup: 'postinstall.mjs' },
];

/** Those that are there, as `npm run test:agents` has found; without it all, so that a missing one fails. */
export function testedClis(): readonly AgentCli[] {
  const there = process.env['PITON_TESTED_AGENTS']?.split(',');
  return agentClis.filter(({ name }) => there?.includes(name) ?? true);
}

/** Outside of the repository; each CLI has a folder of its own in it. */
export function agentsFolder(): string {
  return process.env['PITON_AGENTS'] ?? join(tmpdir(), 'piton-agents');
}

export function binFolder(name: AgentCliName): string {
  return join(agentsFolder(), name, 'node_modules', '.bin');
}

/** Nothing of the person's own PATH: Node for the CLIs written in it, and what every system has. */
export function searchPath(name: AgentCliName): string {
  return [binFolder(name), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
}

/** Asked of the program itself: a package without its native program is not installed. */
export function installedVersion({ name }: Pick<AgentCli, 'name'>): string | undefined {
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
