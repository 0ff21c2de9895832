import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { binary } from '../support/built.ts';
import { eventually } from '../support/eventually.ts';
import type { Answer, Project } from './command-line.ts';

/** The real command line while it runs. It is killed with the test, if it has not ended before. */
export interface LiveCommand {
  readonly child: ChildProcess;
  /** Waits for something that it does. In vain, or if it has ended without, what it said is told. */
  until(what: string, holds: () => boolean): Promise<void>;
  /** Waits until it has printed something, on either stream. */
  shows(text: string): Promise<void>;
  readonly ended: Promise<Answer & { readonly signal: string | null }>;
}

export function startPiton(
  { folder }: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): LiveCommand {
  const child = spawn(process.execPath, [binary, ...args], {
    cwd: folder,
    env: { ...process.env, PITON_DURABILITY: 'process', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => (said[stream] += text));
  }
  const ended = once(child, 'close').then(
    ([code, signal]) => ({ ...said, code, signal }) as Awaited<LiveCommand['ended']>,
  );
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    let isOver = false;
    void ended.then(() => (isOver = true));
    await eventually(what, () => holds() || isOver).catch(() => undefined);
    if (!holds()) throw new Error(`in vain: ${what}; it said:\n${said.stdout}${said.stderr}`);
  };
  const shows = (text: string): Promise<void> =>
    until(`${args.join(' ')} says ${text}`, () => `${said.stdout}${said.stderr}`.includes(text));
  return { child, until, shows, ended };
}

/**
 * Shell text that appends its task's name to `ledger` and then waits while a file of the same name with `.wait` is there.
 * When the test is over its folder is gone, and so is what waits.
 */
export const tracedAndWaiting =
  'echo "$PITON_TASK" >> ledger; while [ -e "$PITON_TASK.wait" ]; do sleep 0.02; done; echo "end of $PITON_TASK"';

/** Tasks in YAML that trace themselves; those that are named wait until `release`. */
export function writeTraced(
  project: Project,
  tasks: Readonly<Record<string, object>>,
  waiting: readonly string[] = [],
): void {
  for (const name of waiting) project.write(`${name}.wait`, '');
  const entries = Object.entries(tasks).map(([name, given]) => [name, { run: tracedAndWaiting, ...given }]);
  // JSON is YAML.
  project.write(
    '.piton/workflows/flow.yaml',
    JSON.stringify({ name: 'flow', tasks: Object.fromEntries(entries) }),
  );
}

export function release({ folder }: Project, ...names: readonly string[]): void {
  for (const name of names) rmSync(join(folder, `${name}.wait`));
}

/** The names of tasks whose commands began, in order. */
export function ledgerOf({ folder }: Project): string[] {
  const file = join(folder, 'ledger');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

export async function begun(project: Project, ...names: readonly string[]): Promise<void> {
  await eventually(`${names.join(', ')} began`, () =>
    names.every((name) => ledgerOf(project).includes(name)),
  );
}

/** Runs `flow` and kills its driver with SIGKILL once these tasks have begun. */
export async function runAndKill(project: Project, id: string, ...names: readonly string[]): Promise<void> {
  const { child, ended, shows } = startPiton(project, ['run', 'flow', '--id', id]);
  for (const name of names) await shows(`${name} started`);
  await begun(project, ...names);
  child.kill('SIGKILL');
  await ended;
}

/** Events as `--json` prints them. */
export interface PrintedEvent {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly task?: string;
  readonly attempt?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function parseLines(text: string): PrintedEvent[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as PrintedEvent);
}
