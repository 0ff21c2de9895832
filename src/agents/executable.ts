import type { Agent, AgentCommand } from './contract.ts';

/** The same command with another program: a path, or another name it was installed under. */
export function withExecutable(agent: Agent, command: AgentCommand, executable: string): AgentCommand {
  const rest = agent.executable === '' ? command.argv : command.argv.slice(1);
  return { ...command, argv: [executable, ...rest] };
}

/** The first thing in an output that looks like a version. */
export function versionIn(output: string): string | undefined {
  return /\b\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?/.exec(output)?.[0];
}
