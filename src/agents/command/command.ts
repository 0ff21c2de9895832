import { traitsOf } from '../../model/index.ts';
import type { Agent, AgentCommand, AgentParser, AgentRequest, ParserContext, Unmet } from '../contract.ts';
import { permissionsUnsupported, sessionUnsupported } from '../refusals.ts';
import { SingleOutcome } from '../stream-parser.ts';
import { promptWithSchema } from '../structured.ts';
import { ofNamed } from '../variables.ts';

/**
 * Any program: its command line is in `args`, the prompt comes by standard input, and what it prints is the
 * result. It has no sessions, and we cannot limit it.
 */
export const command: Agent = Object.freeze({
  name: 'command',
  title: 'Any command',
  choosesSession: false,
  traits: traitsOf('command'),
  pricing: 'none',
  showsToolStart: false,
  asks: false,
  executable: '',
  variables: ofNamed,
  login: '',
  versionCommand: () => ['', '--version'],
  parseVersion: (output) => /\d+(?:\.\d+)+/.exec(output)?.[0],
  command: plainCommand,
  interactive: () => [],
  parser: textParser,
  toolClass: () => 'unknown',
  explainPermissions: (permissions) =>
    permissions === 'full' ? 'nothing is passed on: it does what it does' : 'refused: it cannot be limited',
} satisfies Agent);

function plainCommand(request: AgentRequest): AgentCommand {
  if (request.session.type !== 'new') throw sessionUnsupported('A plain command', request.session.type);
  if (request.permissions !== 'full') {
    const remedy = 'Say `permissions: full` if it may do whatever it does.';
    throw permissionsUnsupported('A plain command', request.permissions, remedy);
  }
  return {
    argv: request.args,
    env: {},
    input: promptWithSchema(request.prompt, request.outputSchema),
    files: {},
    unmet: unmetBy(request),
  };
}

function unmetBy({ model, effort, maxTurns, budgetUsd }: AgentRequest): readonly Unmet[] {
  const asked: readonly (readonly [Unmet, unknown])[] = [
    ['model', model],
    ['effort', effort],
    ['max-turns', maxTurns],
    ['budget', budgetUsd],
  ];
  return asked.filter(([, value]) => value !== undefined).map(([name]) => name);
}

function textParser(context: ParserContext): AgentParser {
  const outcome = new SingleOutcome();
  const lines: string[] = [];
  return {
    line(text) {
      lines.push(text.replace(/\r$/, ''));
      return [];
    },
    // What it prints is its result when it has ended, and not before.
    isDone: () => false,
    end(exit, stderr) {
      const text = lines
        .join('\n')
        .replace(/^\uFEFF/, '')
        .trim();
      if (exit.code !== 0 || exit.timedOut)
        return outcome.close(exit, { said: stderr.trim() || text, context });
      const spoken = text === '' ? [] : [{ type: 'message', role: 'assistant', text } as const];
      return [...spoken, ...outcome.pass([{ type: 'result', text }])];
    },
  };
}
