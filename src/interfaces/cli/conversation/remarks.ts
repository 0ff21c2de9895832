import type { RunEvent } from '../../../library/index.ts';
import { choiceText, type EventOf } from '../../../model/index.ts';
import { cleanLine, cleanText, clockText } from '../output/index.ts';
import { senderText } from '../sender-text.ts';
import type { Block } from './block.ts';

/** What happened to a conversation from outside, with the task whose it is. */
export interface Remark {
  readonly task: string;
  readonly block: Block;
}

/** What people, checks and the work of others have added to a conversation; undefined if an event is nothing of that kind. */
export function remarkOf(event: RunEvent): Remark | undefined {
  switch (event.type) {
    case 'message.added':
      return { task: event.task, block: toldBlock(event.data) };
    case 'session.returned':
      return remark(event.task, 'session', returnedText(event.data));
    case 'check.failed':
      return remark(event.task, 'trouble', checkText(event.data.revision));
    case 'conflict.found':
      return remark(event.task, 'trouble', conflictText(event.data));
    case 'gate.decided':
      return remark(event.task, event.data.approved ? 'notice' : 'trouble', decidedText(event.data));
    case 'budget.raised':
      return remark(event.task, 'notice', 'a person has raised the budget');
    default:
      return undefined;
  }
}

function returnedText({ from, to, abandoned }: EventOf<'session.returned'>['data']): string {
  const end = abandoned === true ? ', and did not give it back' : '';
  return `a person had the session from ${clockText(from)} to ${clockText(to)}${end}`;
}

function checkText(revision: number): string {
  const next =
    revision === 0 ? 'there are no revisions left' : `the agent is to mend it (revision ${revision})`;
  return `the check failed: ${next}`;
}

function conflictText({ files, revision }: EventOf<'conflict.found'>['data']): string {
  const next = revision === 0 ? 'a person is asked' : 'the agent is to resolve that';
  return `the work conflicts with that of others (${files.join(', ')}): ${next}`;
}

function decidedText({ approved, comment = '', by, ...data }: EventOf<'gate.decided'>['data']): string {
  if (data.isOverdue === true) return 'nobody answered in time';
  const who = by === undefined ? 'a person' : senderText(by);
  if (data.answer !== undefined) return `${who} has answered: ${choiceText(data.answer)}`;
  return `${who} has ${approved ? 'approved' : 'rejected'} it${comment === '' ? '' : `: ${comment}`}`;
}

function toldBlock({ text, now }: EventOf<'message.added'>['data']): Block {
  const head = now === true ? 'a person says, at once' : 'a person says';
  return { kind: 'told', head, text: cleanText(text).trim() };
}

function remark(task: string, kind: Block['kind'], head: string): Remark {
  return { task, block: { kind, head: cleanLine(head), text: '' } };
}
