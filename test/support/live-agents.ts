/** A run of a real agent CLI, through Piton, with a model on the loopback: started, killed, looked at. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { agentNamed, type AgentEvent } from '../../src/agents/index.ts';
import {
  loadWorkflow,
  open,
  type OpenOptions,
  type Piton,
  type Run,
  type RunEvent,
} from '../../src/index.ts';
import { binFolder, type AgentCliName } from './agent-clis.ts';
import { agentHome, type AgentHomeOptions } from './agent-home.ts';
import { eventually } from './eventually.ts';
import { startModelServer, type ModelServer, type Said } from './model-server/index.ts';
import type { AgentOrders } from './programs/drive-agents.ts';
import { startProgram, type Program } from './start-program.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type Tasks = Readonly<Record<string, unknown>>;

export interface LivePlace {
  /** Where the agents work. */
  readonly project: string;
  /** Where they keep what is theirs. */
  readonly home: string;
  readonly server: ModelServer;
  /** A driver of its own process, which starts the tasks or goes on with them. */
  drive(tasks: Tasks): Program;
  /** Drives in this process. */
  run(tasks: Tasks): Promise<Run>;
  goOn(options?: Partial<OpenOptions>): Promise<Run>;
  /** To look at, after a driver of its own process has ended. */
  look(): Promise<Run>;
  /** What differs between the journal and what the agents have printed: nothing, if all is well. */
  gaps(events: readonly RunEvent[]): readonly string[];
  /** Of agents and all that they have started, wherever that has gone. */
  processes(): readonly number[];
  /** The same, with their command lines: for who wonders what is left. */
  survivors(): readonly string[];
  /** Ends them all with -9; when it returns, none is left. */
  killAgents(): Promise<void>;
  /** Ends with -9 what is in the agent's own session: tools that have left it live on. */
  killSession(): void;
  /** Whether an agent has a text in its own files: only then its session can be gone on in. */
  hasWritten(text: string): boolean;
  /** What all agents of this place have printed so far. */
  printed(): string;
}

interface LiveOptions extends Partial<OpenOptions>, Pick<AgentHomeOptions, 'isSubscriber'> {
  /** A variable that agents do not have, as one with a key. */
  readonly unset?: string;
}

export async function livePlace(
  clis: readonly AgentCliName[],
  options: LiveOptions = {},
): Promise<LivePlace> {
  const { isSubscriber = false, unset = '', ...given } = options;
  const root = temporaryFolder();
  const server = await startModelServer();
  onTestFinished(() => server.close());
  const homes = clis.map((cli) => agentHome(cli, { root, model: server.url, isSubscriber }));
  const marker = randomUUID();
  const environment = { ...mergedEnvironment(clis, homes), PITON_DRILL: marker };
  Reflect.deleteProperty(environment, unset);
  const { project, home } = homes[0]!;
  const spool = join(root, 'spool');
  const orders: AgentOrders = {
    folder: project,
    store: `sqlite:${join(root, 'piton.db')}`,
    spool,
    environment,
    inheritEnv: ['PITON_DRILL'],
  };
  const opened = async (more: Partial<OpenOptions> = {}): Promise<Piton> => {
    const { folder: _folder, ...ports } = orders;
    const piton = await open({ ...ports, durability: 'process', graceMs: 500, ...given, ...more });
    onTestFinished(() => piton.close());
    return piton;
  };
  const processes = (): readonly number[] => processesMarked(`PITON_DRILL=${marker}`);
  const killAgents = (): Promise<void> => killAll(processes);
  onTestFinished(killAgents);
  return {
    project,
    home,
    server,
    drive(tasks) {
      writeFlow(project, tasks);
      return startProgram('drive-agents', { args: [JSON.stringify(orders)] });
    },
    async run(tasks) {
      const piton = await opened();
      const definition = await loadWorkflow(writeFlow(project, tasks));
      return piton.start(definition, { id: 'run', origin: { directory: project } });
    },
    async goOn(options) {
      const piton = await opened(options);
      const { definition } = await piton.definitionOf('run');
      return piton.resume(definition, 'run');
    },
    async look() {
      const piton = await opened();
      return piton.find('run');
    },
    gaps(events) {
      const starts = events.filter((event) => event.type === 'attempt.started');
      return starts.flatMap((start) => gapsOf(start, events, spool));
    },
    processes,
    survivors: () => processes().map((pid) => `${pid} ${commandLineOf(pid)}`),
    killAgents,
    killSession() {
      const living = processes();
      const session = sessionNumber(Math.min(...living));
      for (const pid of living) if (sessionNumber(pid) === session) end(pid);
    },
    hasWritten: (text) => filesBelow(home).some((file) => readIfThere(file).includes(text)),
    printed: () =>
      attemptsIn(spool)
        .map((attempt) => readIfThere(join(spool, attempt, 'stdout')))
        .join('\n'),
  };
}

/** Their variables do not touch each other, but for the path. */
function mergedEnvironment(
  clis: readonly AgentCliName[],
  homes: readonly { readonly env: Readonly<Record<string, string>> }[],
): Record<string, string> {
  const env = Object.assign({}, ...homes.map((home) => home.env)) as Record<string, string>;
  return { ...env, PATH: [...clis.map(binFolder), env['PATH']].join(delimiter) };
}

function writeFlow(folder: string, tasks: Tasks): string {
  const file = join(folder, 'flow.yaml');
  writeFileSync(file, JSON.stringify({ name: 'flow', tasks }));
  return file;
}

function attemptsIn(spool: string): string[] {
  return existsSync(spool) ? readdirSync(spool) : [];
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

export function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function processesMarked(marker: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => isMarked(pid, marker)).map(Number);
}

function isMarked(pid: string, marker: string): boolean {
  try {
    // Zombies have no environment any more.
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(marker);
  } catch {
    return false;
  }
}

function commandLineOf(pid: number): string {
  return readIfThere(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 200);
}

function sessionNumber(pid: number): number {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}

/** Again until nobody is left: one may have started another in between. */
async function killAll(processes: () => readonly number[]): Promise<void> {
  await eventually('all agents are dead', () => {
    const living = processes();
    for (const pid of living) end(pid);
    return living.length === 0;
  });
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

export async function kill(driver: Program): Promise<void> {
  driver.child.kill('SIGKILL');
  await driver.ended();
}

type Started = Extract<RunEvent, { type: 'attempt.started' }>;

function gapsOf({ attempt, at, data }: Started, events: readonly RunEvent[], spool: string): string[] {
  const told = events.flatMap((event) =>
    event.type === 'transcript.added' && event.attempt === attempt
      ? event.data.entries!.filter((entry) => (entry as { role?: string }).role !== 'user')
      : [],
  );
  const folder = join(spool, attempt!);
  const context = { now: at, ...(data.agent!.session !== undefined && { session: data.agent!.session }) };
  const parser = agentNamed(data.agent!.name).parser(context);
  const lines = readIfThere(join(folder, 'stdout')).split('\n');
  const whole = lines.slice(0, -1).flatMap((line) => parser.line(line));
  const rest = lines.at(-1) === '' ? [] : parser.line(lines.at(-1)!);
  const last = [...rest, ...parser.end({ code: 0, timedOut: false }, readIfThere(join(folder, 'stderr')))];
  // What only the end tells is told where there was an end to be seen.
  const isSame = JSON.stringify(told) === JSON.stringify(whole);
  if (isSame || isSameButReason(told as AgentEvent[], [...whole, ...last])) return [];
  return [`${data.agent!.name} ${attempt}: ${firstDifference(told, whole)}`];
}

function firstDifference(told: readonly unknown[], read: readonly unknown[]): string {
  const [known, printed] = [told, read].map((list) => list.map((entry) => JSON.stringify(entry)));
  const length = Math.max(known!.length, printed!.length);
  const place = Array.from({ length }).findIndex((_, index) => known![index] !== printed![index]);
  const [inJournal, inSpool] = [known, printed].map((list) => (list![place] ?? 'nothing').slice(0, 500));
  const counts = `${known!.length} entries in the journal, ${printed!.length} in the spool`;
  return `${counts}; entry ${place} is ${inJournal} in the journal and ${inSpool} in the spool`;
}

/** The exit code is in the text of a failure. */
function isSameButReason(told: readonly AgentEvent[], read: readonly AgentEvent[]): boolean {
  const plain = (events: readonly AgentEvent[]): string =>
    JSON.stringify(
      events.map((event) =>
        event.type === 'failure' || event.type === 'limit' ? { type: event.type } : event,
      ),
    );
  return plain(told) === plain(read);
}

/** The agent's own conversations of a task, in the order of its attempts. */
export function sessionsOf(events: readonly RunEvent[], task: string): string[] {
  return events.flatMap((event) =>
    event.type === 'session.opened' && event.task === task ? [event.data.session] : [],
  );
}

/** How many the agent itself did not know any more: it was killed before it had written them down. */
export function lostSessions(events: readonly RunEvent[], task: string): number {
  const isLost = (event: RunEvent): boolean =>
    event.type === 'attempt.ended' && event.task === task && event.data.sessionLost === true;
  return events.filter(isLost).length;
}

export function startsOf(events: readonly RunEvent[], task: string): readonly Started[] {
  return events.filter((event): event is Started => event.type === 'attempt.started' && event.task === task);
}

/** All that the model was told in the last request of a conversation; without the CLI's own affairs. */
export function lastConversation(server: ModelServer): string {
  const request = server.log().findLast(({ side }) => side === undefined);
  return (request?.said ?? []).map(shown).join('\n');
}

function shown(said: Said): string {
  if (said.type === 'text') return `${said.role}: ${said.text}`;
  return said.type === 'call' ? `call: ${JSON.stringify(said.input)}` : `result: ${said.text}`;
}
