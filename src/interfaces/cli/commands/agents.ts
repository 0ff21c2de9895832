import type { AgentView } from '../../../project/index.ts';
import { printAgent } from '../agents/print-agent.ts';
import { defineCommand } from '../command-spec.ts';
import { exitCodes } from '../exit-codes.ts';

export const command = defineCommand({
  configure: (command) => command.option('--json', 'print JSON'),
  examples: [
    ['piton agents', 'which coding agents are installed, and what each may do under read, edit and full'],
    ['piton agents --json', 'for programs'],
  ],
  async run(context) {
    const { output, project } = context;
    const found = await project.agents();
    output.json(found);
    for (const each of found) printAgent(output, each);
    if ((await project.granted()) !== project.config)
      output.note(
        'This project is not trusted: programs that its .piton/config.yaml names are not looked at (piton trust).',
      );
    output.next(nextStep(found));
    return exitCodes.done;
  },
});

function nextStep(found: readonly AgentView[]): string {
  const isReady = found.some(({ login, installed }) => login !== undefined && installed);
  return isReady
    ? 'piton run <workflow> --dry-run shows what its agents would be allowed'
    : 'install one of them, log in, and look again: piton agents';
}
