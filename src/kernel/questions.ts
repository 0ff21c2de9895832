import { canonicalJson, PitonError, type Json } from '../base/index.ts';
import {
  whyNoAnswer,
  whyNoChoices,
  type AnswerForm,
  type AskWork,
  type Dynamic,
  type Event,
} from '../model/index.ts';
import { gateOf, type Question } from './life.ts';
import type { Answered, RunState, TaskState } from './run-state.ts';
import { successEvents } from './success.ts';
import { variablesOf } from './variables.ts';
import type { World } from './world.ts';

/** What a function asks. */
export interface FunctionQuestion extends AnswerForm {
  readonly text: string;
  /** Which of its questions it is. */
  readonly key: string;
  readonly default?: Json;
  readonly deadlineMs?: number;
}

/** The question of a task that is one. Throws what its expressions throw, and `ASK_INVALID`. */
export function openQuestion(
  state: RunState,
  task: TaskState,
  { work, world }: { readonly work: AskWork; readonly world: World },
): Event {
  const render = (value: Dynamic): Json => world.evaluator.render(value, variablesOf(state, task));
  const question: Question = {
    type: work.answer,
    ...(work.choices !== undefined && { choices: render(work.choices) as readonly Json[] }),
    ...(work.default !== undefined && { default: render(work.default) }),
    ...(work.deadlineMs !== undefined && { until: world.now + work.deadlineMs }),
  };
  assertAskable(task.address, question);
  const text = renderText(state, task, { value: work.question, world });
  return { type: 'gate.opened', task: task.address, data: { gate: world.mint(), text, question } };
}

/** Throws `ASK_INVALID`. */
export function assertAskable(who: string, question: AnswerForm & { readonly default?: Json }): void {
  const { choices, default: fallback } = question;
  const wrongChoices = question.type === 'choice' ? whyNoChoices(choices as Json) : undefined;
  if (wrongChoices !== undefined)
    throw new PitonError('ASK_INVALID', `\`choices\` of ${who} ${wrongChoices}.`);
  const wrongDefault = fallback === undefined ? undefined : whyNoAnswer(question, fallback);
  if (wrongDefault !== undefined)
    throw new PitonError('ASK_INVALID', `\`default\` of ${who} is no answer: ${wrongDefault}.`);
}

export function renderText(
  state: RunState,
  task: TaskState,
  { value, world }: { readonly value: Dynamic; readonly world: World },
): string {
  const rendered = world.evaluator.render(value, variablesOf(state, task));
  return typeof rendered === 'string' ? rendered : canonicalJson(rendered);
}

/** What a function asks: nothing happens if it was answered, or is being asked, already. */
export function decideQuestion(task: TaskState, asked: FunctionQuestion, world: World): Event[] {
  const { text, key, type, choices, deadlineMs } = asked;
  if (answerTo(task, asked) !== undefined || gateOf(task.life)?.question?.key === key) return [];
  const question: Question = {
    type,
    key,
    ...(choices !== undefined && { choices }),
    ...(asked.default !== undefined && { default: asked.default }),
    ...(deadlineMs !== undefined && { until: world.now + deadlineMs }),
  };
  return [{ type: 'gate.opened', task: task.address, data: { gate: world.mint(), text, question } }];
}

/** What became of a function's question. An answer to what it was before, and cannot be now, is none. */
export function answerTo({ answers = [] }: TaskState, asked: FunctionQuestion): Answered | undefined {
  const found = answers.find(({ key }) => key === asked.key);
  if (found === undefined || 'refusal' in found) return found;
  return whyNoAnswer(asked, found.answer) === undefined ? found : undefined;
}

/** What becomes of a task that is a question, once that is decided. */
export function settleAnswered(state: RunState, task: TaskState, world: World): readonly Event[] | undefined {
  if (task.spec.work.type !== 'ask') return undefined;
  // Those with a key were given to a function, which it was before.
  const answered = task.answers?.find(({ key }) => key === undefined);
  if (answered === undefined) return undefined;
  if ('answer' in answered)
    return successEvents(state, task, { success: { output: answered.answer }, world });
  const failure = { ...answered.refusal, retryable: false };
  return [{ type: 'task.failed', task: task.address, data: { failure } }];
}

/** Nobody has answered in time. */
export function decideOverdue({ address, life }: TaskState, now: number): Event | undefined {
  const { gate, question } = gateOf(life) ?? {};
  if (gate === undefined || question?.until === undefined || question.until > now) return undefined;
  const { default: answer } = question;
  const data =
    answer === undefined
      ? { gate, approved: false, isOverdue: true, comment: 'nobody answered in time' }
      : { gate, approved: true, isOverdue: true, answer };
  return { type: 'gate.decided', task: address, data };
}
