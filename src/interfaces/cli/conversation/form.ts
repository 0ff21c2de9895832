import type { RunEvent, Usage } from '../../../library/index.ts';
import type { Block } from './block.ts';

export type AttemptStarted = Extract<RunEvent, { type: 'attempt.started' }>;

/** How a conversation looks. Everything is whole lines, without their ends. */
export interface Form {
  head(started: AttemptStarted): string[];
  block(block: Block): string[];
  foot(usage: Usage): string[];
}

const ways = {
  new: 'in a new session',
  continue: 'goes on in its session',
  fork: 'in a copy of a session',
} as const;

const rungs = {
  session: 'goes on in its session',
  transcript: 'in a new session, told what was done before',
  restart: 'started again',
} as const;

/** Who speaks, and in which conversation. */
export function introduce({ data }: AttemptStarted): string {
  const { agent, number, kind } = data;
  if (kind === 'check' || kind === 'setup') return `${kind}, attempt ${number}`;
  if (kind === 'verify') return `check together with the work of others, attempt ${number}`;
  if (agent === undefined) return `attempt ${number}`;
  const way = agent.rung === undefined ? ways[agent.how] : rungs[agent.rung];
  return `${agent.name}, attempt ${number}${kind === undefined ? '' : ' (a revision)'}, ${way}`;
}
