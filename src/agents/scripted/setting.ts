import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Order } from './order.ts';
import { readPart, type Step } from './part.ts';
import { openSession, recordTurn, type Refusal } from './sessions.ts';

/** All the player knows when it begins to play. */
export interface Setting {
  readonly order: Order;
  readonly session: string;
  /** How many times this session has been played before; what a person said in between does not count. */
  readonly turn: number;
  /** Without the part, if that was in it. */
  readonly prompt: string;
  /** The prompts of the session's earlier turns. */
  readonly earlier: readonly string[];
  readonly steps: readonly Step[];
}

interface Beginning {
  readonly orderFile: string;
  readonly args: readonly string[];
  readonly prompt: string;
}

export function setUp({ orderFile, args, prompt }: Beginning): Setting | Refusal {
  const order = JSON.parse(readFileSync(orderFile, 'utf8')) as Order;
  const session = openSession(order.session);
  if ('refusal' in session) return session;
  const { id, turns } = session;
  const turn = turns.filter(({ isTalk }) => isTalk !== true).length;
  const part = partText(prompt, args) ?? turns.findLast((earlier) => earlier.part !== undefined)?.part;
  // Recorded before anything is said, as the real ones do: a turn that dies is a turn.
  recordTurn(id, { prompt, part });
  return {
    order,
    session: id,
    turn,
    prompt: withoutPart(prompt),
    earlier: turns.map((earlier) => earlier.prompt),
    steps: stepsOf(part, turn),
  };
}

const partBlock = /^```part[^\S\n]*\n([\s\S]*?)^```/gm;

export function withoutPart(prompt: string): string {
  return prompt.replaceAll(partBlock, '');
}

/** Written in the prompt, or in a file named there, in the arguments or in the environment. */
function partText(prompt: string, args: readonly string[]): string | undefined {
  const written = [...prompt.matchAll(partBlock)].at(-1)?.[1];
  if (written !== undefined) return written;
  const named = [...prompt.matchAll(/\[\[part:\s*([^\]]+?)\s*\]\]/g)].at(-1)?.[1];
  const file = named ?? argumentAfter('--part', args) ?? process.env['PITON_PART'];
  return file === undefined ? undefined : readFileSync(resolve(file), 'utf8');
}

function argumentAfter(name: string, args: readonly string[]): string | undefined {
  const index = args.indexOf(name);
  return index < 0 ? undefined : args[index + 1];
}

function stepsOf(part: string | undefined, turn: number): readonly Step[] {
  if (part === undefined) return [{ say: 'ok' }];
  const turns = readPart(part);
  return turns[Math.min(turn, turns.length - 1)] ?? [];
}
