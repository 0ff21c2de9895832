import { traitsOf } from '../../model/index.ts';
import { hasExpression } from '../expressions/templates.ts';
import type { Finding, Path } from '../problems.ts';
import type { AgentDraft } from '../workflow-draft.ts';
import { suggestNearest } from './suggestions.ts';

/** `args` of an agent: for all that may do the task, or by agent. */
export function checkArguments(draft: AgentDraft, at: Path): Finding[] {
  const { args = [] } = draft;
  const place = [...at, 'args'];
  if (isList(args)) {
    const words = checkList(args, place);
    return words.length > 0 ? words : checkShared(draft, args, at);
  }
  const findings = Object.entries(args).flatMap(([agent, list]) => [
    ...checkOwner(agent, draft.agents, [...place, agent]),
    ...checkList(list, [...place, agent]),
  ]);
  return findings.length > 0
    ? findings
    : anyPrograms(draft).flatMap((agent) => checkProgram(draft, agent, at));
}

function isList(args: NonNullable<AgentDraft['args']>): args is readonly string[] {
  return Array.isArray(args);
}

/** Agents that stand for any program: only `args` say which. */
function anyPrograms({ agents }: AgentDraft): string[] {
  return agents.filter((agent) => traitsOf(agent)?.isAnyProgram === true);
}

function checkOwner(agent: string, agents: readonly string[], at: Path): Finding[] {
  if (agents.includes(agent)) return [];
  const remedy = suggestNearest(agent, agents).remedy ?? `Its agents are: ${agents.join(', ')}.`;
  return [{ at, onKey: true, message: `\`${agent}\` is no agent of this task.`, remedy }];
}

function checkList(list: readonly string[], at: Path): Finding[] {
  return list.flatMap((text, index) => checkWord(text, [...at, index]));
}

/** One list for several agents, which one of them would take for a program. */
function checkShared(draft: AgentDraft, args: readonly string[], at: Path): Finding[] {
  const [program] = anyPrograms(draft);
  if (program === undefined) return [];
  const others = draft.agents.filter((agent) => agent !== program);
  if (args.length === 0 || others.length === 0) return checkProgram(draft, program, at);
  const message = `These name the program that is \`${program}\`; they cannot be the arguments of \`${others[0]}\` too.`;
  const remedy = `Write them by agent: \`args: { ${program}: ${example(args)} }\`.`;
  const inCode = { remedy: `Give them by agent: \`args: { ${program}: ${exampleInCode(args)} }\`.` };
  return [{ at: [...at, 'args'], message, remedy, inCode }];
}

/** What one agent of a task is given. */
export function argumentsOf({ args = [] }: AgentDraft, agent: string): readonly string[] {
  return isList(args) ? args : (args[agent] ?? []);
}

function checkProgram(draft: AgentDraft, agent: string, at: Path): Finding[] {
  const [program = ''] = argumentsOf(draft, agent);
  if (program.trim() !== '') return [];
  const message = `The agent \`${agent}\` is any program, and nothing says which.`;
  const own = agent === 'acp' ? ['opencode', 'acp'] : ['my-agent', '--quiet'];
  const remedyWith = (list: string): string => {
    const form = draft.agents.length > 1 ? `{ ${agent}: ${list} }` : list;
    return `Name it, with its arguments: \`args: ${form}\`.`;
  };
  const inCode = { remedy: remedyWith(exampleInCode(own)) };
  return [{ at: [...at, 'agent'], message, remedy: remedyWith(example(own)), inCode }];
}

const mostShown = 4;

function example(args: readonly string[]): string {
  return listOf(args, (word) => (/^[\w./@=-]+$/.test(word) ? word : JSON.stringify(word)));
}

function exampleInCode(args: readonly string[]): string {
  return listOf(args, (word) => (word.includes("'") ? JSON.stringify(word) : `'${word}'`));
}

function listOf(args: readonly string[], write: (word: string) => string): string {
  const words = args.slice(0, mostShown).map(write);
  return `[${[...words, ...(args.length > mostShown ? ['…'] : [])].join(', ')}]`;
}

/** A text that reaches a CLI as it is. */
export function checkWord(text: string, at: Path): Finding[] {
  if (hasExpression(text)) {
    const message = 'This is handed to the agent as it is: expressions are not evaluated here.';
    const inCode = { remedy: 'Put them in the prompt, or in `env`.' };
    return [{ at, message, remedy: 'Put them in `prompt` or `env`.', inCode }];
  }
  if (!text.includes('\0')) return [];
  return [{ at, message: 'No program can be given the character NUL.', remedy: 'Take it out.' }];
}
