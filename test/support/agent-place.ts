/** Runs of agents in a folder of their own, whose programs and sessions can be tampered with. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  loadWorkflow,
  open,
  type OpenOptions,
  type Piton,
  type Run,
  type RunEvent,
} from '../../src/index.ts';
import { agentNamed } from '../../src/agents/index.ts';
import { eventually } from './eventually.ts';
import { transcriptOf, writeFlow, type Tasks } from './scripted-place.ts';
import { startProgram, type Program } from './start-program.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface AgentPlace {
  /** Where agents work. Programs in it come first in the PATH. */
  readonly folder: string;
  /** Drives in this process. */
  run(tasks: Tasks, options?: Partial<OpenOptions>): Promise<Run>;
  /** Goes on with the run, in this process. */
  goOn(options?: Partial<OpenOptions>): Promise<Run>;
  /** Ends what drives in this process, as when it is asked to. */
  leave(): Promise<void>;
  /** Looks at the run from aside, whoever drives it. */
  look<T>(see: (run: Run) => Promise<T>): Promise<T>;
  /** A driver in a process of its own. */
  drive(tasks: Tasks): Program;
  /** Puts an agent's program into the folder, in POSIX sh; it has the version that is tested, unless another is given. */
  install(name: string, script: string, version?: string): void;
  /** The sessions of the scripted agent, as files. */
  sessionFiles(): readonly string[];
  /** What all agents have printed so far. */
  printed(): string;
  /** Waits for a file, and then kills the agent at work with -9, with whoever would write how it ended. */
  killAt(file: string): Promise<void>;
}

export function agentPlace(): AgentPlace {
  const folder = temporaryFolder();
  // Of the person's own PATH nothing: an agent that is installed there must not be found.
  const path = [folder, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  const sessions = join(folder, '.piton', 'scripted');
  const own = { PATH: path, PITON_SCRIPTED_HOME: sessions };
  const store = `sqlite:${join(folder, 'piton.db')}`;
  const openPitons: Piton[] = [];
  const leave = async (): Promise<void> => {
    await Promise.all(openPitons.splice(0).map((piton) => piton.close()));
  };
  onTestFinished(leave);
  const opened = async (options: Partial<OpenOptions> = {}): Promise<Piton> => {
    const environment = { ...process.env, ...own };
    const piton = await open({ store, durability: 'process', graceMs: 300, environment, ...options });
    openPitons.push(piton);
    return piton;
  };
  const spool = join(folder, 'spool');
  return {
    folder,
    async run(tasks, options) {
      const piton = await opened(options);
      const origin = { directory: folder };
      return piton.start(await loadWorkflow(writeFlow(folder, tasks)), { id: 'run', origin });
    },
    async goOn(options) {
      const piton = await opened(options);
      const { definition } = await piton.definitionOf('run');
      return piton.resume(definition, 'run');
    },
    leave,
    async look(see) {
      await using piton = await open({ store });
      return await see(await piton.find('run'));
    },
    drive(tasks) {
      writeFlow(folder, tasks);
      const args = [JSON.stringify({ folders: [folder] })];
      return startProgram('drive-commands', { args, env: own });
    },
    install: (name, script, version = agentNamed(name).tested?.to) =>
      writeFileSync(
        join(folder, name),
        `#!/bin/sh\n[ "$1" != --version ] || { echo ${version}; exit; }\n${script}\n`,
        { mode: 0o755 },
      ),
    sessionFiles: () => filesIn(sessions),
    printed: () =>
      filesIn(spool)
        .map((attempt) => readIfThere(join(attempt, 'stdout')))
        .join('\n'),
    async killAt(file) {
      await eventually(`the agent has made ${file}`, () => existsSync(join(folder, file)));
      await using piton = await open({ store });
      const living = (await piton.keptAttempts()).find(({ pid }) => pid !== undefined);
      process.kill(-living!.pid!, 'SIGKILL');
    },
  };
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Resolves when the run has told of such a thing. */
export async function told(run: Run, type: RunEvent['type']): Promise<void> {
  for await (const event of run.events()) if (event.type === type) return;
  throw new Error(`the run has ended without ${type}`);
}

/** What agents have said, in its order. */
export function messagesOf(events: readonly RunEvent[]): readonly unknown[] {
  return transcriptOf(events).flatMap(({ type, text }) => (type === 'message' ? [text] : []));
}
