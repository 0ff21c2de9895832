export { Conversation } from './conversation.ts';
export { introduce, type AttemptStarted, type Form } from './form.ts';
export { lastWord } from './last-word.ts';
export { markdownForm } from './markdown-form.ts';
export { terminalForm } from './terminal-form.ts';
export { usageText, UsageTally, type Usage } from './usage.ts';
