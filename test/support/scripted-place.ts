/** Runs of the scripted agent in a folder and store of their own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  loadWorkflow,
  open,
  type OpenOptions,
  type Piton,
  type Run,
  type RunEvent,
} from '../../src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Place {
  readonly folder: string;
  readonly piton: Piton;
  /** Starts a run of these tasks in the folder; its id is `run` unless another is given. */
  run(tasks: Tasks, more?: { readonly id?: string; readonly [key: string]: unknown }): Promise<Run>;
}

export type Tasks = Readonly<Record<string, unknown>>;

/** A task of the scripted agent, which plays these turns. */
export function played(
  turns: readonly (readonly unknown[])[],
  more: Readonly<Record<string, unknown>> = {},
): object {
  // JSON is YAML, in a part too.
  const prompt = `Do it.\n\`\`\`part\n${JSON.stringify({ turns })}\n\`\`\`\n`;
  return { agent: 'scripted', permissions: 'full', prompt, ...more };
}

export function writeFlow(
  folder: string,
  tasks: Tasks,
  settings: Readonly<Record<string, unknown>> = {},
): string {
  const file = join(folder, 'flow.yaml');
  writeFileSync(file, JSON.stringify({ name: 'flow', ...settings, tasks }));
  return file;
}

export async function openPlace(
  options: Partial<OpenOptions> = {},
  folder: string = temporaryFolder(),
): Promise<Place> {
  const piton = await open({
    store: `sqlite:${join(folder, 'piton.db')}`,
    durability: 'process',
    graceMs: 300,
    ...options,
  });
  onTestFinished(() => piton.close());
  return {
    folder,
    piton,
    async run(tasks, { id = 'run', ...settings } = {}) {
      const file = writeFlow(folder, tasks, settings);
      return piton.start(await loadWorkflow(file), { id, origin: { directory: folder } });
    },
  };
}

export async function eventsOf(run: Run): Promise<RunEvent[]> {
  return await Array.fromAsync(run.events());
}

type Entry = { readonly type: string; readonly [key: string]: unknown };

/** What agents have said and done. */
export function transcriptOf(events: readonly RunEvent[]): Entry[] {
  return entriesOf(events).filter(({ role }) => role !== 'user');
}

/** What they were told. */
export function promptsOf(events: readonly RunEvent[]): string[] {
  return entriesOf(events).flatMap(({ role, text }) => (role === 'user' ? [String(text)] : []));
}

function entriesOf(events: readonly RunEvent[]): Entry[] {
  return events.flatMap((event) =>
    event.type === 'transcript.added' ? (event.data.entries as unknown as Entry[]) : [],
  );
}

export type Start = Extract<RunEvent, { type: 'attempt.started' }>['data'];

export function startsOf(events: readonly RunEvent[]): Start[] {
  return events.flatMap((event) => (event.type === 'attempt.started' ? [event.data] : []));
}
