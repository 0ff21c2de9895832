import { knownAgents, traitsOf } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { AgentDraft, TaskDraft } from '../workflow-draft.ts';
import { checkArguments, checkWord } from './check-arguments.ts';
import { checkEnvironment } from './check-environment.ts';
import { refusedPermissions } from './refused-permissions.ts';
import { suggestNearest } from './suggestions.ts';

/** What is wrong with the work of an agent by itself, apart from its expressions. */
export function checkAgent({ name }: TaskDraft, draft: AgentDraft, at: Path): Finding[] {
  return [
    ...checkAgents(name, draft, at),
    ...checkPrompt(draft, [...at, 'prompt']),
    ...checkPermissions(draft, [...at, 'permissions']),
    ...checkArguments(draft, at),
    ...checkLimits(draft, at),
    ...checkWords(draft, at),
    ...checkEnvironment(draft, at),
  ];
}

function checkAgents(name: string, { agents }: AgentDraft, at: Path): Finding[] {
  if (agents.length === 0) {
    const message = `Nothing says which agent does \`${name}\`.`;
    const remedy = 'Add `agent: claude` (or another) to it, or to the `defaults`.';
    const inCode = { remedy: "Name it in its options: `agent: 'claude'`, or another." };
    return [{ at, onKey: true, message, remedy, inCode }];
  }
  return agents.flatMap((agent, index): Finding[] => {
    const place = [...at, 'agent', index];
    if (traitsOf(agent) === undefined) {
      const names = knownAgents();
      const remedy = suggestNearest(agent, names).remedy ?? `There are: ${names.join(', ')}.`;
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

/** An agent that cannot be limited so would refuse every attempt. */
function checkLimits({ agents, permissions = 'edit' }: AgentDraft, at: Path): Finding[] {
  return agents.flatMap((agent) => {
    const refusal = refusedPermissions(agent, permissions);
    return refusal === undefined ? [] : [{ at: [...at, 'agent'], ...refusal }];
  });
}

/** Wishes that an agent has no means for: it works all the same. */
export function suggestAgent({ work }: TaskDraft, at: Path): Finding[] {
  if (work.type !== 'agent') return [];
  const { agents, model, effort, maxTurns } = work;
  const wishes = { model, effort, 'max-turns': maxTurns };
  return agents.flatMap((agent) =>
    (traitsOf(agent)?.ignores ?? [])
      .filter((key) => wishes[key] !== undefined)
      .map((key) => ({
        at: [...at, key],
        onKey: true,
        message: `\`${agent}\` has no means for \`${key}\`, and works without it.`,
        ...(key === 'max-turns' && { remedy: 'Limit it by `timeout`, or by a `budget`.' }),
      })),
  );
}

/** Settings that reach the CLI as they are: an expression would reach it unread. */
function checkWords({ model, effort }: AgentDraft, at: Path): Finding[] {
  return Object.entries({ model, effort }).flatMap(([key, text]) => {
    if (text === undefined) return [];
    const place = [...at, key];
    return text.trim() === '' ? [{ at: place, message: 'There is nothing here.' }] : checkWord(text, place);
  });
}
