import type { Json } from '../../../base/index.ts';
import type { QuestionView } from '../../../library/index.ts';
import { choiceText } from '../../../model/index.ts';
import { cleanLine, cutTo } from '../output/index.ts';
import { readTyped } from './ask-at-terminal.ts';
import type { Key } from './keys.ts';
import { answerKind, withoutAnswer } from './question-text.ts';

/** What a person has decided with a key. `diff`: to see more first. */
export type Verdict = Decision | { readonly type: 'later' } | { readonly type: 'diff' };

export type Decision =
  | { readonly type: 'approve' }
  | { readonly type: 'reject' }
  | { readonly type: 'answer'; readonly answer: Json };

/** So many choices have a key each. */
const mostKeys = 9;

/** A question on the screen, and what was typed so far. Decides nothing by itself. */
export class GatePrompt {
  readonly #question: QuestionView | undefined;
  readonly #keys: ReadonlyMap<string, Verdict>;
  readonly #hasDiff: boolean;
  #typed = '';
  #why = '';

  constructor(question: QuestionView | undefined, { hasDiff }: { readonly hasDiff: boolean }) {
    this.#question = question;
    this.#hasDiff = hasDiff;
    this.#keys = keysFor(question, hasDiff);
  }

  /** What the keys mean; undefined: it goes on. Several at once were typed before it could be read. */
  press(keys: readonly Key[]): Verdict | undefined {
    if (this.#keys.size === 0) return this.#pressInLine(keys);
    const [key, another] = keys;
    if (key === undefined || another !== undefined) return undefined;
    if (key.type === 'escape') return { type: 'later' };
    return key.type === 'text' && !key.isPasted ? this.#keys.get(key.text.toLowerCase()) : undefined;
  }

  lines(columns: number, now: number): string[] {
    const note = this.#question && withoutAnswer(this.#question, now);
    const about = note === undefined ? '' : ` (${note})`;
    const lines =
      this.#keys.size > 0
        ? [...choiceKeys(this.#question), `  ${this.#keyLine()}${about}`]
        : [
            `  ${answerKind(this.#question!)}${about}; ${this.#why || 'Enter answers, Esc leaves it for later'}`,
            `  > ${tail(this.#typed, columns - 6)}_`,
          ];
    return lines.map((line) => cutTo(line, columns));
  }

  #keyLine(): string {
    const { type } = this.#question ?? {};
    const first =
      type === undefined ? ['[a]pprove'] : type === 'boolean' ? ['[y]es', '[n]o'] : ['a number chooses'];
    return [...first, '[r]eject', ...(this.#hasDiff ? ['[d]iff'] : []), '[l]ater'].join('  ');
  }

  #pressInLine(keys: readonly Key[]): Verdict | undefined {
    for (const key of keys) {
      if (key.type === 'escape') return { type: 'later' };
      if (key.type === 'enter') return this.#enter();
      this.#why = '';
      if (key.type === 'clear') this.#typed = '';
      else if (key.type === 'erase') this.#typed = [...this.#typed].slice(0, -1).join('');
      else if (key.type === 'text') this.#typed += key.text;
    }
    return undefined;
  }

  #enter(): Verdict | undefined {
    const read = readTyped(this.#question!, this.#typed);
    if ('answer' in read) return { type: 'answer', answer: read.answer };
    this.#why = read.why;
    return undefined;
  }
}

/** Empty: it is typed as a line. */
function keysFor(question: QuestionView | undefined, hasDiff: boolean): ReadonlyMap<string, Verdict> {
  const own = ownKeys(question);
  if (own === undefined) return new Map();
  return new Map<string, Verdict>([
    ...own,
    ['r', { type: 'reject' }],
    ['l', { type: 'later' }],
    ...(hasDiff ? [['d', { type: 'diff' }] as const] : []),
  ]);
}

function answer(value: Json): Verdict {
  return { type: 'answer', answer: value };
}

function ownKeys(question: QuestionView | undefined): [string, Verdict][] | undefined {
  if (question === undefined) return [['a', { type: 'approve' }]];
  const { type, choices = [] } = question;
  if (type === 'boolean') {
    return [
      ['y', answer(true)],
      ['n', answer(false)],
    ];
  }
  if (type !== 'choice' || choices.length > mostKeys) return undefined;
  return choices.map((choice, index) => [String(index + 1), answer(choice)]);
}

function choiceKeys({ choices = [] }: Partial<QuestionView> = {}): string[] {
  return choices.map((choice, index) => `    [${index + 1}] ${cleanLine(choiceText(choice))}`);
}

/** What was typed last is what has to be seen. */
function tail(text: string, columns: number): string {
  const characters = [...text];
  return characters.length <= columns ? text : `…${characters.slice(1 - Math.max(columns, 2)).join('')}`;
}
