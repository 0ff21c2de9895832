import { existsSync } from 'node:fs';
import { agentNamed, findExecutable } from '../agents/index.ts';
import { PitonError, shellWord } from '../base/index.ts';
import { lentOf, type RunState, type TaskState, type Conversation } from '../kernel/index.ts';
import { unknownTask, type Lease } from '../model/index.ts';
import type { EnginePorts } from './options.ts';
import { markerOf, takeSession } from './session-lease.ts';

/** A conversation with an agent, and how a person gets into it. */
export interface FoundSession {
  readonly agent: string;
  /** The agent's name, for people. */
  readonly title: string;
  readonly session: string;
  /** The command that opens it. */
  readonly argv: readonly string[];
  /** Where the agent works. */
  readonly directory: string;
  /** Who is in it now, in words: a second one would write over what the first writes. */
  readonly busy?: string;
}

/** The same with the right to be in it. */
export interface OfferedSession extends FoundSession {
  readonly lease: Lease;
  /** For the program that opens it: as long as that lives, the session is taken. */
  readonly env: Readonly<Record<string, string>>;
}

/** Takes nothing. Throws `TASK_UNKNOWN`, `SESSION_MISSING`, `SESSION_CLOSED`. */
export async function findSession(
  ports: EnginePorts,
  state: RunState,
  address: string,
): Promise<FoundSession> {
  const task = taskNamed(state, address);
  const { agent, id: session } = sessionOf(state, task);
  const { title } = agentNamed(agent);
  const argv = interactiveCommand(ports, { agent, session });
  assertHere(task, argv);
  const busy = busyText(state, session);
  const directory = await directoryOf(ports, state, task);
  return { agent, title, session, argv, directory, ...(busy !== undefined && { busy }) };
}

/** Throws `TASK_UNKNOWN`, `SESSION_MISSING`, `SESSION_CLOSED`, `SESSION_BUSY`, `AGENT_MISSING`, `FOLDER_MISSING`. */
export async function offerSession(
  ports: EnginePorts,
  state: RunState,
  address: string,
): Promise<OfferedSession> {
  await ports.permit?.();
  const found = await findSession(ports, state, address);
  assertIdle(state, found.session);
  assertStartable(ports, found);
  const lease = await takeSession(ports, found.session);
  return { ...found, lease, env: { [markerOf(lease)]: '1' } };
}

/** Before anything is taken: what cannot be started should leave no trace in the run. */
function assertStartable(
  { environment }: EnginePorts,
  { agent, title, argv, directory }: FoundSession,
): void {
  const [program = ''] = argv;
  if (findExecutable(program, environment['PATH'] ?? '') === undefined) {
    throw new PitonError('AGENT_MISSING', `${title} cannot be started: there is no program ${program}.`, {
      agent,
      program,
      remedy: 'Install it, or name it in .piton/config.yaml; see piton agents.',
    });
  }
  if (existsSync(directory)) return;
  throw new PitonError('FOLDER_MISSING', `The folder in which the task worked is gone: ${directory}.`, {
    directory,
    remedy: 'Bring it back: agents look for their sessions by the folder.',
  });
}

function taskNamed({ run, tasks }: RunState, address: string): TaskState {
  const task = tasks.get(address);
  if (task !== undefined) return task;
  throw unknownTask(run, address, [...tasks.keys()]);
}

function sessionOf(
  { run }: RunState,
  { address, conversation: { session }, spec }: TaskState,
): NonNullable<Conversation['session']> {
  if (session !== undefined) return session;
  const isAgent = spec.work.type === 'agent';
  const why = isAgent ? 'has no session' : 'is not done by an agent, and has no session';
  throw new PitonError('SESSION_MISSING', `${address} ${why}.`, {
    run,
    task: address,
    ...(isAgent && {
      remedy:
        'Its agent has not begun, or has no sessions (see piton agents). What was said is in piton logs.',
    }),
  });
}

function interactiveCommand(
  { agents }: EnginePorts,
  { agent: name, session }: { readonly agent: string; readonly session: string },
): readonly string[] {
  const agent = agentNamed(name);
  const argv = agent.interactive(session);
  if (argv.length === 0) {
    throw new PitonError('SESSION_CLOSED', `${agent.title} has no form in which a person could go on.`, {
      agent: name,
      remedy: 'Tell it what you have to say with `piton tell`.',
    });
  }
  const executable = agents[name]?.executable;
  return executable === undefined ? argv : [executable, ...argv.slice(1)];
}

/** A conversation is kept where it was held. */
function assertHere({ address, workspace }: TaskState, argv: readonly string[]): void {
  if (workspace?.kind !== 'remote') return;
  const { remote, path } = workspace;
  throw new PitonError('SESSION_CLOSED', `The session of ${address} is on ${remote}.`, {
    remote,
    remedy: `Open it there, while the task waits: cd ${shellWord(path)} && ${argv.map(shellWord).join(' ')}`,
  });
}

function userOf({ tasks }: RunState, session: string): TaskState | undefined {
  return [...tasks.values()].find(
    ({ conversation, life }) => conversation.session?.id === session && life.status === 'running',
  );
}

function busyText(state: RunState, session: string): string | undefined {
  const user = userOf(state, session);
  if (user !== undefined) return `${user.address} is working in that session`;
  const holder = lentOf(state, session);
  return holder && `that session is open in process ${holder.pid} on ${holder.host}`;
}

function assertIdle(state: RunState, session: string): void {
  const user = userOf(state, session);
  if (user === undefined) return;
  const { run } = state;
  throw new PitonError('SESSION_BUSY', `${user.address} is working in that session.`, {
    run,
    task: user.address,
    remedy: 'Wait for it, stop the run (Ctrl-C where it is driven), or say something with `piton tell`.',
  });
}

/** Where the last attempt worked, or one works; once its worktree has gone, the folder of the run. */
async function directoryOf({ spool }: EnginePorts, { origin }: RunState, task: TaskState): Promise<string> {
  const last = lastAttemptOf(task);
  const order = last === undefined ? undefined : await spool.describe(last);
  const folder = origin?.directory ?? process.cwd();
  if (order === undefined || (task.workspace !== undefined && !existsSync(order.directory))) return folder;
  return order.directory;
}

function lastAttemptOf({ life, conversation: { lastEnd } }: TaskState): string | undefined {
  const current = life.status === 'running' ? life.attempt : undefined;
  return current?.agent === undefined ? lastEnd?.attempts.at(-1)?.id : current.id;
}
