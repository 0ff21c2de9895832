import { stat } from 'node:fs/promises';
import { effect, systemClock } from '../../base/index.ts';
import type { Attempted } from './git-failures.ts';
import { GitSession, SessionEnded, type Question } from './git-session.ts';
import { inRepository, type RepositoryPlace } from './places.ts';

export interface SessionKind {
  readonly args: readonly string[];
  /** It is replaced when it is older. */
  readonly ageMs: number;
}

export type SessionName = keyof typeof kinds;

/**
 * What git offers to be asked many times. None of them lives long: a git that has opened a pack goes on to see what a garbage
 * collection has taken since; and whoever finds a lock that was left behind takes every older git for its holder.
 */
const kinds = {
  /** Since 2.38, as all that Piton needs. */
  objects: { args: ['cat-file', '--batch-command', '-z'], ageMs: 30_000 },
  /** Each question is a file. */
  commits: { args: ['hash-object', '-w', '-t', 'commit', '--no-filters', '--stdin-paths'], ageMs: 30_000 },
  refs: { args: ['update-ref', '--stdin', '-z'], ageMs: 5_000 },
} as const satisfies Readonly<Record<string, SessionKind>>;

const idleMs = 5_000;

export interface SessionOrder extends SessionKind {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

type Start = (order: SessionOrder) => Promise<GitSession>;

export interface Asked<T> extends Question<T> {
  /** As with `Git.run`. */
  readonly effect?: string;
}

/** The sessions with one repository. */
export class GitSessions {
  readonly #repository: RepositoryPlace;
  readonly #conversations: Readonly<Record<SessionName, Conversation>>;

  constructor(repository: RepositoryPlace, start: Start) {
    this.#repository = repository;
    const converse = (name: SessionName): Conversation => new Conversation(kinds[name], repository, start);
    this.#conversations = {
      objects: converse('objects'),
      commits: converse('commits'),
      refs: converse('refs'),
    };
  }

  /** Throws `SessionEnded`. */
  ask<T>(name: SessionName, asked: Asked<T>): Promise<T> {
    return this.#conversations[name].ask(asked);
  }

  /** What was tried, for people. */
  attempted(name: SessionName): Pick<Attempted, 'args' | 'cwd'> {
    return { args: kinds[name].args, cwd: this.#repository.commonDir };
  }

  close(): void {
    for (const conversation of Object.values(this.#conversations)) conversation.close();
  }
}

/** One session after the other, never two at once. */
class Conversation {
  readonly #kind: SessionKind;
  readonly #repository: RepositoryPlace;
  readonly #start: Start;
  readonly #idle: NodeJS.Timeout;
  #session: GitSession | undefined;
  #with: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(kind: SessionKind, repository: RepositoryPlace, start: Start) {
    this.#kind = kind;
    this.#repository = repository;
    this.#start = start;
    this.#idle = setTimeout(() => this.close(), idleMs);
    this.#idle.unref();
  }

  ask<T>(asked: Asked<T>): Promise<T> {
    const answer = this.#last.then(() => this.#ask(asked));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  close(): void {
    if (this.#session?.isBusy === true) return void this.#idle.refresh();
    if (this.#session !== undefined) this.#forget(this.#session);
  }

  /** The effect comes when it is our turn: whoever has waited may have lost the right to it meanwhile. */
  async #ask<T>({ effect: name, ...question }: Asked<T>): Promise<T> {
    const answer = (): Promise<T> => this.#answer(question);
    return name === undefined ? answer() : effect(`git.${name}`, answer);
  }

  async #answer<T>(question: Question<T>): Promise<T> {
    this.#idle.refresh();
    const session = await this.#current();
    try {
      return await session.ask(question);
    } catch (error) {
      this.#forget(session);
      throw error;
    } finally {
      this.#idle.refresh();
    }
  }

  async #current(): Promise<GitSession> {
    const found = await identityOf(this.#repository);
    const session = this.#session;
    if (session !== undefined) {
      // To one whose repository was moved away or replaced, all that it does not see any more would be missing.
      const isOld = systemClock.elapsed() - session.startedAt > this.#kind.ageMs;
      if (!session.isOver && !isOld && found === this.#with) return session;
      this.#forget(session);
    }
    this.#with = found;
    const started = await this.#start({ ...this.#kind, ...inRepository(this.#repository) });
    this.#session = started;
    open.add(started);
    return started;
  }

  #forget(session: GitSession): void {
    session.close();
    open.delete(session);
    if (this.#session === session) this.#session = undefined;
  }
}

async function identityOf({ commonDir }: RepositoryPlace): Promise<string | undefined> {
  const found = await stat(commonDir, { bigint: true }).catch(() => undefined);
  return found && [found.dev, found.ino, found.birthtimeNs].join(' ');
}

const open = new Set<GitSession>();

/** Whether that process is a git of this one that waits to be asked: it holds no lock. */
export function isIdleSession(pid: number): boolean {
  return [...open].some((session) => session.pid === pid && !session.isBusy);
}

export { SessionEnded };
