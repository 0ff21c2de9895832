export { divertStdout } from './divert-stdout.ts';
export { createOutput, type Output } from './output.ts';
export { statusCell, statusSymbol, type ShownStatus } from './status.ts';
export { isColoured, styleFor, type Style } from './style.ts';
export { tableLines, type Cell } from './table.ts';
export { cleanLine, cleanText, cutTo, escapeControls, padTo, reasonLine, widthOf } from './text.ts';
export { clockText, dayText, momentText, silenceText, spanText, whenText } from './time.ts';
