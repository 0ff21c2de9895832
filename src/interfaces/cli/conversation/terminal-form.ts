import { cleanLine, cutTo, type Style } from '../output/index.ts';
import type { Block } from './block.ts';
import { cutLines } from './cut-lines.ts';
import { introduce, type Form } from './form.ts';
import { usageText } from './usage.ts';

export interface TerminalLook {
  readonly style: Style;
  /** That are left beside the name of the task. */
  readonly columns: number;
  readonly isFull: boolean;
}

export function terminalForm(look: TerminalLook): Form {
  const { dim } = look.style;
  return {
    head: (started) => [dim(`── ${cleanLine(introduce(started))}`)],
    block: (block) => writers[block.kind](block, look),
    foot: (usage) => ['', dim(`── ${usageText(usage)}`)],
  };
}

const writers: Readonly<Record<Block['kind'], (block: Block, look: TerminalLook) => string[]>> = {
  session: ({ head }, { style }) => [style.dim(`○ ${head}`)],
  prompt: ({ text }, { style }) => ['', ...text.split('\n').map((line) => style.blue(`> ${line}`.trimEnd()))],
  message: ({ text }) => ['', ...text.split('\n')],
  reasoning: ({ text }, { style }) => ['', ...text.split('\n').map((line) => style.dim(line))],
  call: (block, look) => callLines(block, look, look.style.cyan),
  answer: answerLines,
  result: ({ head, text }, { style }) => ['', style.green(`✓ ${head}`), ...text.split('\n')],
  question: (block, look) => callLines(block, look, look.style.yellow),
  told: ({ head, text }, { style }) => [
    '',
    ...`${head}: ${text}`.split('\n').map((line) => style.magenta(`» ${line}`.trimEnd())),
  ],
  trouble: ({ head }, { style }) => [style.red(`✗ ${head}`)],
  notice: ({ head }, { style }) => [style.dim(`· ${head}`)],
};

function callLines(
  { kind, head, detail = '' }: Block,
  { style, columns, isFull }: TerminalLook,
  paint: (text: string) => string,
): string[] {
  const line = `${kind === 'question' ? '?' : '▸'} ${head}`;
  return [
    paint(isFull ? line : cutTo(line, columns)),
    ...(isFull && detail !== '' ? detail.split('\n').map((text) => style.dim(`  ${text}`)) : []),
  ];
}

function answerLines({ head, text, isError }: Block, { style, columns, isFull }: TerminalLook): string[] {
  const mark = isError === true ? '✗' : '│';
  const paint = isError === true ? style.red : style.dim;
  const lines = isFull ? text.split('\n') : cutLines(text, Math.max(columns - 4, 1));
  return [
    ...(head === '' ? [] : [style.dim(cutTo(`◂ ${head}`, columns))]),
    ...lines.map((line) => paint(`  ${mark} ${line}`)),
  ];
}
