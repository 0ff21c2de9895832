import { randomUUID } from 'node:crypto';
import type { Answer, Json, Question, Refusal } from './conversation.ts';
import { currentTurn, isCalled, isSpoken, type Spoken, type Trouble, type Turn } from './script.ts';
import { callFor } from './tools.ts';

export interface Decision {
  readonly reply:
    | { readonly type: 'answer'; readonly answer: Answer }
    | { readonly type: 'refusal'; readonly refusal: Refusal };
  /** How long the model hangs after the first words. */
  readonly stallMs: number;
}

/** Says whether a directive that counts (`[[fail:529:2]]`) is still in force, and takes it into account. */
export type IsInForce = (step: Trouble) => boolean;

export function decide(question: Question, isInForce: IsInForce): Decision {
  if (question.side !== undefined) return { reply: said(question.side.answer), stallMs: 0 };
  const turn = currentTurn(question.said);
  const refusal = refusalIn(turn, isInForce);
  if (refusal !== undefined) return { reply: { type: 'refusal', refusal }, stallMs: 0 };
  return { reply: { type: 'answer', answer: answerTo(turn, question) }, stallMs: stallIn(turn, isInForce) };
}

function said(text: string): Decision['reply'] {
  return { type: 'answer', answer: { text, ending: 'done' } };
}

function refusalIn(turn: Turn, isInForce: IsInForce): Refusal | undefined {
  for (const step of turn) {
    if (step.type === 'limit' && isInForce(step)) return limitFrom(step);
    if (step.type === 'fail' && isInForce(step)) return { type: 'failure', status: step.amount };
  }
  return undefined;
}

/** `[[limit:unknown]]` is one that does not say when it ends. */
function limitFrom({ amount }: Trouble): Refusal {
  return { type: 'limit', status: 429, ...(Number.isFinite(amount) && { resetSeconds: amount }) };
}

function stallIn(turn: Turn, isInForce: IsInForce): number {
  for (const step of turn) if (step.type === 'stall' && isInForce(step)) return step.amount * 1000;
  return 0;
}

function answerTo(turn: Turn, question: Question): Answer {
  const id = randomUUID().replaceAll('-', '').slice(0, 24);
  const call = callIn(turn, question.tools, id) ?? structured(turn, { tools: question.tools, id });
  return { text: textIn(turn, question, call), ...(call && { call }), ending: endingOf(turn) };
}

function callIn(turn: Turn, tools: Question['tools'], id: string): Answer['call'] {
  const step = turn.find(isCalled);
  return step && callFor(step, tools, id);
}

function textIn(turn: Turn, { said: earlier }: Question, call: Answer['call']): string {
  if (call && isStructured(turn, call)) return '';
  const spoken = turn.filter(isSpoken).map((step) => step.value);
  if (spoken.length > 0 || call) return spoken.join('\n');
  const missing = turn.find(isCalled);
  if (missing) return `I was offered no tool for ${missing.type}.`;
  return earlier.at(-1)?.type === 'result' ? 'done' : 'ok';
}

/** Claude Code takes structured output as a call of a tool; elsewhere it is the text of the answer. */
const structuredTool = 'StructuredOutput';

function structured(
  turn: Turn,
  { tools, id }: Pick<Question, 'tools'> & { id: string },
): Answer['call'] | undefined {
  const step = turn.find((one) => one.type === 'json') as Spoken | undefined;
  if (step === undefined || !tools.some((tool) => tool.name === structuredTool)) return undefined;
  return { id, name: structuredTool, input: JSON.parse(step.value) as Json };
}

function isStructured(turn: Turn, call: NonNullable<Answer['call']>): boolean {
  return call.name === structuredTool && turn.some((step) => step.type === 'json');
}

function endingOf(turn: Turn): Answer['ending'] {
  if (turn.some((step) => step.type === 'cut')) return 'truncated';
  return turn.some((step) => step.type === 'refuse') ? 'refused' : 'done';
}
