import type { CommandAnswer, InboxCommand } from '../../model/index.ts';
import type { Medium } from './medium.ts';

export function sendCommand(medium: Medium, command: InboxCommand): void {
  if (!medium.inbox.has(command.id)) medium.inbox.set(command.id, command);
}

export function pendingCommands(medium: Medium, runs: string | readonly string[]): InboxCommand[] {
  const meant = new Set(typeof runs === 'string' ? [runs] : runs);
  return [...medium.inbox.values()].filter(({ run, answer }) => answer === undefined && meant.has(run));
}

export function answer(
  medium: Medium,
  run: string,
  decided: { readonly id: string; readonly answer: CommandAnswer },
): void {
  const command = medium.inbox.get(decided.id);
  if (command === undefined || command.run !== run || command.answer !== undefined) return;
  medium.inbox.set(decided.id, Object.freeze({ ...command, answer: decided.answer }));
}

export function answerLeftOver(medium: Medium, run: string, leftOver: CommandAnswer | undefined): void {
  if (leftOver === undefined) return;
  for (const { id } of pendingCommands(medium, run)) answer(medium, run, { id, answer: leftOver });
}
