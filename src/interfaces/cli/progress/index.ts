export { questionText } from './agent-words.ts';
export { describeEvent } from './describe-event.ts';
export { eventLine } from './event-line.ts';
export { createProgress, type Progress } from './progress.ts';
export { cleanedText, deliveredText, runBranchOf, shortCommit } from './place-words.ts';
