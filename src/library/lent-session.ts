import type { Engine, OfferedSession } from '../engine/index.ts';
import type { Command } from '../model/index.ts';
import { PitonError } from '../base/index.ts';
import type { CommandResult } from './command-result.ts';

/** A conversation with an agent, in a person's hands: nobody else goes on in it until it is given back. */
export interface LentSession {
  readonly agent: string;
  /** The agent's name, for people. */
  readonly title: string;
  readonly session: string;
  /** The command that opens it. */
  readonly argv: readonly string[];
  readonly directory: string;
  /** To be added to the environment of that command: should this process die, the session is taken as long as that one lives. */
  readonly env: Readonly<Record<string, string>>;
  /** Releases the session: the run may go on in it. Until then its task is not started again. */
  giveBack(): Promise<void>;
}

interface Lending {
  readonly engine: Engine;
  readonly run: string;
  readonly task: string;
  /** Undefined: the run has ended, and nobody has to know. */
  send(command: Command): Promise<CommandResult | undefined>;
}

/** Throws `TASK_UNKNOWN`, `SESSION_MISSING`, `SESSION_CLOSED`, `SESSION_BUSY`, `AGENT_MISSING`, `FOLDER_MISSING`. */
export async function lendSession(lending: Lending): Promise<LentSession> {
  const { engine, run, task } = lending;
  const offered = await engine.offerSession(run, task);
  try {
    await announce(lending, offered);
  } catch (thrown) {
    await engine.releaseSession(offered);
    throw thrown;
  }
  const { agent, title, session, argv, directory, env } = offered;
  return { agent, title, session, argv, directory, env, giveBack: () => giveBack(lending, offered) };
}

/** With nobody driving the run, whoever does so next decides it before anything starts. */
async function announce(
  { send, run, task }: Lending,
  { session, lease: { owner, token, takenAt } }: OfferedSession,
): Promise<void> {
  const { host, pid } = owner;
  const answer = await send({ type: 'lend', task, session, from: takenAt, host, pid, token });
  if (answer?.status !== 'refused') return;
  throw new PitonError('SESSION_BUSY', `The session of ${task} cannot be had: ${answer.text}.`, {
    run,
    task,
  });
}

async function giveBack({ engine, send, task }: Lending, offered: OfferedSession): Promise<void> {
  try {
    await send({ type: 'return', task, token: offered.lease.token, at: engine.now() });
  } finally {
    await engine.releaseSession(offered);
  }
}
