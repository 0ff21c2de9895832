export { askedLines, type AskedCall } from './asked-call.ts';
export type { Block } from './block.ts';
export { Conversation } from './conversation.ts';
export { introduce, type AttemptStarted, type Form } from './form.ts';
export { markdownForm } from './markdown-form.ts';
export { remarkOf, type Remark } from './remarks.ts';
export { terminalForm } from './terminal-form.ts';
export { usageText } from './usage.ts';
