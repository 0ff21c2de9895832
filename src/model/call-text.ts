import { cleanLine, isPlainObject, visibleText } from '../base/index.ts';

/** The fields that say what a call is about, whichever agent's tool it is; the first that is there is told. */
const telling = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
];

/** A tool call in one line: `Bash: npm test`. */
export function callText(name: string, input: unknown): string {
  // What is stripped from a call would be done all the same.
  const about = cleanLine(visibleText(aboutText(input)));
  const tool = cleanLine(visibleText(name)) || 'a tool';
  return about === '' ? tool : `${tool}: ${about}`;
}

function aboutText(input: unknown): string {
  if (!isPlainObject(input)) return wordsOf(input);
  const field = telling.find((name) => wordsOf(input[name]) !== '');
  if (field !== undefined) return wordsOf(input[field]);
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input);
}

/** A command may be given as its words. */
function wordsOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(wordsOf).join(' ') : JSON.stringify(value);
}
