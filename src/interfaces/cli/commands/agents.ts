import { nearest, PitonError } from '../../../base/index.ts';
import type { AgentView } from '../../../project/index.ts';
import { printAgent, printAgents } from '../agents/print-agent.ts';
import { defineCommand } from '../command-spec.ts';
import { exitCodes } from '../exit-codes.ts';

export const command = defineCommand({
  configure: (command) =>
    command
      .argument(
        '[agent]',
        'all about this one: what it may do, how it tells its cost, what it was tested with',
      )
      .option('--json', 'print JSON'),
  examples: [
    ['piton agents', 'which coding agents are installed and logged in, and what to do about the others'],
    ['piton agents claude', 'all about one, with what it may do under read, edit and full'],
    ['piton agents --json', 'for programs'],
  ],
  async run({ output, project }, { args: [name] }) {
    const known = await project.agents();
    const found = name === undefined ? known : [agentIn(known, name)];
    output.json(found);
    if (name === undefined) printAgents(output, found);
    else printAgent(output, found[0]!);
    if ((await project.granted()) !== project.config)
      output.note(
        'This project is not trusted: programs that its .piton/config.yaml names are not looked at (piton trust).',
      );
    const [first, ...others] = nextSteps(known, name);
    output.next(first!, ...others);
    return exitCodes.done;
  },
});

function agentIn(known: readonly AgentView[], name: string): AgentView {
  const agent = known.find((candidate) => candidate.name === name);
  if (agent !== undefined) return agent;
  const names = known.map((candidate) => candidate.name);
  const close = nearest(name, names);
  throw new PitonError('USAGE_INVALID', `There is no agent ${name}.`, {
    remedy: close === undefined ? `Known are ${names.join(', ')}.` : `Did you mean piton agents ${close}?`,
  });
}

function nextSteps(known: readonly AgentView[], name: string | undefined): string[] {
  if (name !== undefined) return ['piton run <workflow> --dry-run shows what its agents would be allowed'];
  const ready = known.find(
    ({ login, installed, isLoggedIn }) => login !== undefined && installed && isLoggedIn !== false,
  );
  const all = ready === undefined ? ['install one of them, log in, and look again: piton agents'] : [];
  return [...all, `piton agents ${ready?.name ?? 'scripted'}`];
}
