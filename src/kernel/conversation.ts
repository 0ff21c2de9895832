import type { Outcome } from '../model/index.ts';
import type { AskedCall } from './life.ts';

/** With the agent of a task: what it remembers, and what it has yet to hear. Replaced as a whole, and gone as a whole when the task begins anew. */
export interface Conversation {
  /** The next attempt goes on in it. */
  readonly session?: Session;
  /** The program that its last agent was, as it told. */
  readonly cli?: { readonly agent: string; readonly version: string };
  /** Its attempts so far, and how the last one ended. One that goes on is told. */
  readonly lastEnd?: LastEnd;
  /** Calls that it asked for, and a person has allowed. */
  readonly allowed?: readonly AskedCall[];
  /** What the next attempt is to hear; absent: nothing. */
  readonly news?: News;
}

export interface Session {
  readonly agent: string;
  readonly id: string;
  /**
   * It belongs to the run that this one was forked from, which may go on in it: this one goes on in a copy; or, where it has been gone on
   * in since (`outgrown`), in a new session that is told what was said.
   */
  readonly ofParent?: 'current' | 'outgrown';
}

export interface LastEnd {
  readonly outcome: Outcome['type'];
  readonly reason?: string;
  /** Not all of its processes could be ended. */
  readonly mayStillRun?: boolean;
  readonly attempts: readonly PastAttempt[];
  /** What it was to copy is not there any more: copying it again would end the same way, for ever. */
  readonly originLost?: boolean;
}

/** `upTo`: only so much of its stream, in bytes, belongs to this run. */
export interface PastAttempt {
  readonly id: string;
  readonly agent: string;
  readonly upTo?: number;
}

export interface News {
  /** A person has been in the session since the last attempt. */
  readonly wasLent: boolean;
  /** What people have to say. */
  readonly messages: readonly string[];
  /** One of these is not to wait for the end of the attempt under way. */
  readonly isUrgent: boolean;
}

export const noConversation: Conversation = Object.freeze({});

const noNews: News = Object.freeze({ wasLent: false, messages: [], isUrgent: false });

/** The same, with other things that its agent is to hear. */
export function withNews(conversation: Conversation, change: (news: News) => Partial<News>): Conversation {
  const { news: former = noNews, ...rest } = conversation;
  const news = { ...former, ...change(former) };
  return news.wasLent || news.messages.length > 0 ? { ...rest, news } : rest;
}

export function withoutNews({ news: _, ...conversation }: Conversation): Conversation {
  return conversation;
}

export function withoutSession({ session: _, ...conversation }: Conversation): Conversation {
  return conversation;
}

/** Its agent begins from scratch; what people have said and allowed still counts. */
export function begunAnew(conversation: Conversation): Conversation {
  const { session: _, lastEnd: __, ...rest } = conversation;
  return withNews(rest, () => ({ wasLent: false }));
}

/** Whether people have said anything that its agent has not heard yet. */
export function hasMessages({ news }: Conversation): boolean {
  return news !== undefined && news.messages.length > 0;
}
