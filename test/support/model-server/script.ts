/**
 * What the model does is written in the last prompt: `[[shell:make]] [[say:made]]`. The place in the script is counted
 * from the calls in the request itself, so a session that goes on after a death needs nothing kept by the server.
 */
import type { Said } from './conversation.ts';

export type Spoken = { readonly type: 'say' | 'json' | 'cut' | 'refuse'; readonly value: string };
export type Called =
  | { readonly type: 'shell' | 'read'; readonly value: string }
  | { readonly type: 'edit' | 'tool'; readonly name: string; readonly value: string };
/** `times`: for how many requests that are the same it is in force. */
export type Trouble = {
  readonly type: 'stall' | 'limit' | 'fail';
  readonly amount: number;
  readonly times: number;
};
export type Step = Spoken | Called | Trouble;

/** What the model does in one answer: speaks, and ends with a call or for good. */
export type Turn = readonly Step[];

const opening = /\[\[(say|json|cut|refuse|shell|read|edit|tool|stall|limit|fail):/g;

export function readScript(prompt: string): readonly Step[] {
  const steps: Step[] = [];
  let reached = 0;
  for (const match of prompt.matchAll(opening)) {
    if (match.index < reached) continue;
    const from = match.index + match[0].length;
    const to = endOf(match[1]!, prompt, from);
    steps.push(toStep(match[1]!, prompt.slice(from, to)));
    reached = to;
  }
  return steps;
}

/** JSON may contain `]]` itself: there the first end counts at which it can be parsed. */
function endOf(type: string, prompt: string, from: number): number {
  let end = prompt.indexOf(']]', from);
  while (end >= 0 && (type === 'json' || type === 'tool') && !isWhole(type, prompt.slice(from, end)))
    end = prompt.indexOf(']]', end + 1);
  if (end < 0) throw new Error(`a directive has no end: ${prompt.slice(from - 10, from + 60)}`);
  return end;
}

function isWhole(type: string, text: string): boolean {
  try {
    JSON.parse(type === 'tool' ? text.slice(text.indexOf('=') + 1) : text);
    return true;
  } catch {
    return false;
  }
}

function toStep(type: string, text: string): Step {
  switch (type) {
    case 'edit':
    case 'tool': {
      const cut = text.indexOf('=');
      return { type, name: text.slice(0, cut), value: text.slice(cut + 1) };
    }
    case 'stall':
    case 'limit':
    case 'fail': {
      const [amount, times = 'Infinity'] = text.split(':');
      return { type, amount: Number(amount), times: Number(times) };
    }
    default:
      return { type: type as 'say', value: text };
  }
}

export function isSpoken(step: Step): step is Spoken {
  return ['say', 'json', 'cut', 'refuse'].includes(step.type);
}

export function isCalled(step: Step): step is Called {
  return ['shell', 'read', 'edit', 'tool'].includes(step.type);
}

/** Where in its script a conversation has come to. */
export interface Place {
  readonly steps: readonly Step[];
  readonly callsMade: number;
}

/** A prompt without directives goes on with the script of an earlier one, as a model would after an interruption. */
export function placeIn(said: readonly Said[]): Place {
  const prompts = said.map((one) => (isPrompt(one) && one.type === 'text' ? readScript(one.text) : []));
  const last = prompts.findLastIndex((steps) => steps.length > 0);
  const callsMade = said.slice(last + 1).filter((one) => one.type === 'call').length;
  return { steps: prompts[last] ?? [], callsMade };
}

/** The part of the script that this request is to be answered with. */
export function currentTurn(said: readonly Said[]): Turn {
  const { steps, callsMade } = placeIn(said);
  return turnsOf(steps)[callsMade] ?? [];
}

function turnsOf(steps: readonly Step[]): readonly Turn[] {
  const turns: Step[][] = [[]];
  for (const step of steps) {
    turns.at(-1)!.push(step);
    if (isCalled(step)) turns.push([]);
  }
  return turns;
}

/** What the CLI puts between the prompts on its own account, always in a tag of its own. */
const envelope = /^\s*<([a-z_-]+)[\s>][\s\S]*<\/\1>\s*$/i;

export function isPrompt(said: Said): boolean {
  return said.type === 'text' && said.role === 'user' && said.text.trim() !== '' && !envelope.test(said.text);
}
