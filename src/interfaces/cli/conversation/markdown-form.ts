import { cleanLine, cutTo } from '../output/index.ts';
import type { Block } from './block.ts';
import { cutLines } from './cut-lines.ts';
import { introduce, type Form } from './form.ts';
import { usageText } from './usage.ts';

const widest = 200;

/** A document that reads well as it is, and on a page. */
export function markdownForm({ isFull }: { readonly isFull: boolean }): Form {
  return {
    head: (started) => [`## ${escape(`${started.task}: ${introduce(started)}`)}`, ''],
    block: (block) => [...writers[block.kind](block, isFull), ''],
    foot: (usage) => [`_${escape(usageText(usage))}_`, ''],
  };
}

const writers: Readonly<Record<Block['kind'], (block: Block, isFull: boolean) => string[]>> = {
  session: ({ head }) => [`_${escape(head)}_`],
  prompt: ({ text }) => ['**Prompt**', '', ...quote(text)],
  message: ({ text }) => text.split('\n'),
  reasoning: ({ text }) => ['_Reasoning_', '', ...quote(text)],
  call: callLines,
  answer: answerLines,
  result: ({ text, isData }) => [
    '**Result**',
    '',
    ...(isData === true ? fence(text.split('\n')) : text.split('\n')),
  ],
  question: callLines,
  told: ({ head, text }) => [`**${escape(capital(head))}**`, '', ...quote(text)],
  trouble: ({ head }) => [`**✗ ${escape(head)}**`],
  notice: ({ head }) => [`· ${escape(head)}`],
};

function callLines({ kind, head, detail = '' }: Block, isFull: boolean): string[] {
  return [
    `${kind === 'question' ? '?' : '▸'} ${code(isFull ? head : cutTo(head, widest))}`,
    ...(isFull && detail !== '' ? ['', ...fence(detail.split('\n'))] : []),
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function answerLines({ head, text, isError }: Block, isFull: boolean): string[] {
  const mark = isError === true ? '✗ failed' : '';
  const title = [mark, head === '' ? '' : `◂ ${code(cutTo(head, widest))}`].filter((part) => part !== '');
  return [
    ...(title.length === 0 ? [] : [title.join(' '), '']),
    ...fence(isFull ? text.split('\n') : cutLines(text, widest)),
  ];
}

function quote(text: string): string[] {
  return text.split('\n').map((line) => `> ${line}`.trimEnd());
}

/** Longer than any fence in it, so that nothing in it can end it. */
function fence(lines: readonly string[]): string[] {
  const mark = '`'.repeat(Math.max(3, longestTicks(lines.join('\n')) + 1));
  return [mark, ...lines, mark];
}

function code(text: string): string {
  const mark = '`'.repeat(longestTicks(text) + 1);
  return mark.length === 1 ? `${mark}${text}${mark}` : `${mark} ${text} ${mark}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
}

function escape(text: string): string {
  return cleanLine(text).replaceAll(/[\\*_`<[\]#]/g, String.raw`\$&`);
}
