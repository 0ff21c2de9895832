import type { Command, CommandAnswer, InboxCommand } from '../../model/index.ts';
import type { AppendRequest } from '../contract.ts';
import type { Change } from './group-commit.ts';
import { number, optionalText, record, text, type Row } from './rows.ts';
import type { Statements } from './statements.ts';

export function sendCommand({ id, run, at, command, answer }: InboxCommand): Change<void> {
  return {
    apply(statements) {
      const columns = { id, run, at, command: JSON.stringify(command) };
      statements.insertCommand.run({
        ...columns,
        answer: answer === undefined ? null : JSON.stringify(answer),
      });
    },
  };
}

export function pendingCommands(statements: Statements, runs: string | readonly string[]): InboxCommand[] {
  if (typeof runs === 'string') return statements.pendingCommands.all({ run: runs }).map(toCommand);
  const meant = new Set(runs);
  return statements.allPendingCommands
    .all()
    .filter((row) => meant.has(text(row, 'run')))
    .map(toCommand);
}

export function findCommand(statements: Statements, id: string): InboxCommand | undefined {
  const row = statements.findCommand.get({ id });
  return row && toCommand(row);
}

/** Within the transaction of the commit that decides them: a command is never consumed without its effect, or twice. */
export function answerCommands(statements: Statements, { commit, answers, release }: AppendRequest): void {
  const { run } = commit;
  for (const { id, answer } of answers) {
    statements.answerCommand.run({ run, id, answer: JSON.stringify(answer) });
  }
  if (release?.leftOver !== undefined) {
    statements.answerLeftOver.run(run, JSON.stringify(release.leftOver));
  }
}

function toCommand(row: Row): InboxCommand {
  const answer = optionalText(row, 'answer');
  return Object.freeze({
    id: text(row, 'id'),
    run: text(row, 'run'),
    at: number(row, 'at'),
    command: record(text(row, 'command'), 'command', { type: 'string' }) as unknown as Command,
    ...(answer === undefined ? {} : { answer: toAnswer(answer) }),
  });
}

function toAnswer(json: string): CommandAnswer {
  return record(json, 'answer', { accepted: 'boolean', text: 'string' }) as unknown as CommandAnswer;
}
