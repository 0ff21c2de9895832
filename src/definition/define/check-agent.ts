import { agentNames } from '../../model/index.ts';
import { hasExpression } from '../expressions/templates.ts';
import type { Finding, Path } from '../problems.ts';
import type { AgentDraft, TaskDraft } from '../workflow-draft.ts';
import { checkEnvironment } from './check-environment.ts';
import { suggestNearest } from './suggestions.ts';

/** What is wrong with the work of an agent by itself, apart from its expressions. */
export function checkAgent({ name }: TaskDraft, draft: AgentDraft, at: Path): Finding[] {
  return [
    ...checkAgents(name, draft, at),
    ...checkPrompt(draft, [...at, 'prompt']),
    ...checkPermissions(draft, [...at, 'permissions']),
    ...checkPlainCommand(draft, at),
    ...checkWords(draft, at),
    ...checkEnvironment(draft, at),
  ];
}

function checkAgents(name: string, { agents }: AgentDraft, at: Path): Finding[] {
  if (agents.length === 0) {
    const message = `Nothing says which agent does \`${name}\`.`;
    const remedy = 'Add `agent: claude` (or another) to it, or to the `defaults`.';
    return [{ at, onKey: true, message, remedy }];
  }
  return agents.flatMap((agent, index): Finding[] => {
    const place = [...at, 'agent', index];
    if (!(agentNames as readonly string[]).includes(agent)) {
      const remedy = suggestNearest(agent, agentNames).remedy ?? `There are: ${agentNames.join(', ')}.`;
      return [{ at: place, message: `There is no agent \`${agent}\`.`, remedy }];
    }
    return agents.indexOf(agent) === index ? [] : [{ at: place, message: `\`${agent}\` is named twice.` }];
  });
}

function checkPrompt({ prompt }: AgentDraft, at: Path): Finding[] {
  if (prompt.trim() !== '') return [];
  return [{ at, message: 'The prompt is empty.', remedy: 'Say what the agent is to do.' }];
}

const policies = ['read', 'edit', 'full'];

function checkPermissions({ permissions = 'edit' }: AgentDraft, at: Path): Finding[] {
  if (typeof permissions === 'string') {
    if (policies.includes(permissions)) return [];
    const remedy = `Write one of ${policies.join(', ')}, or a list: [${permissions as string}].`;
    return [{ at, message: `\`${permissions as string}\` is no policy.`, remedy }];
  }
  if (permissions.length === 0) {
    return [
      { at, message: 'The list allows nothing.', remedy: 'Write `read` for an agent that only looks.' },
    ];
  }
  return permissions.flatMap((word, index) =>
    word.trim() === '' ? [{ at: [...at, index], message: 'This permission is empty.' }] : [],
  );
}

/** The agent `command` is any program: only the task can say which, and nothing can limit it. */
function checkPlainCommand({ agents, args = [], permissions = 'edit' }: AgentDraft, at: Path): Finding[] {
  if (!agents.includes('command')) return [];
  const findings: Finding[] = [];
  if (args.length === 0) {
    const message = 'The agent `command` is any program, and nothing says which.';
    const remedy = 'Name it, with its arguments: `args: [my-agent, --quiet]`.';
    findings.push({ at: [...at, 'agent'], message, remedy });
  }
  if (permissions !== 'full') {
    const message = 'The agent `command` is any program, which cannot be limited.';
    const remedy = 'Say `permissions: full` if it may do whatever it does.';
    findings.push({ at: [...at, 'agent'], message, remedy });
  }
  return findings;
}

/** Settings that reach the CLI as they are: an expression would reach it unread. */
function checkWords({ model, effort, args = [] }: AgentDraft, at: Path): Finding[] {
  const words: [Path, string | undefined][] = [
    [[...at, 'model'], model],
    [[...at, 'effort'], effort],
    ...args.map((text, index): [Path, string] => [[...at, 'args', index], text]),
  ];
  return words.flatMap(([place, text]) => (text === undefined ? [] : checkWord(text, place)));
}

function checkWord(text: string, at: Path): Finding[] {
  if (hasExpression(text)) {
    const message = 'This is handed to the agent as it is: expressions are not evaluated here.';
    return [{ at, message, remedy: 'Put them in `prompt` or `env`.' }];
  }
  if (text.includes('\0')) {
    return [{ at, message: 'No program can be given the character NUL.', remedy: 'Take it out.' }];
  }
  return text.trim() === '' && !at.includes('args') ? [{ at, message: 'There is nothing here.' }] : [];
}
