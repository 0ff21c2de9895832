/** Traces that tasks leave outside of Piton, one line for each time they run. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepContext } from '../../src/index.ts';

export interface Execution {
  readonly pid: number;
  readonly task: string;
  readonly attempt: number;
  readonly key: string;
}

/** One write of one line to a file opened for appending: processes do not tear each other's lines. */
export function leaveTrace(folder: string, { task, attempt, key }: StepContext): void {
  appendFileSync(fileOf(folder), `${process.pid} ${task} ${attempt} ${key}\n`);
}

export function executionsIn(folder: string): Execution[] {
  if (!existsSync(fileOf(folder))) return [];
  const lines = readFileSync(fileOf(folder), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [pid, task, attempt, key] = line.split(' ');
    return { pid: Number(pid), task: task!, attempt: Number(attempt), key: key! };
  });
}

/** In the order in which they ran. */
export function tasksRunIn(folder: string): string[] {
  return executionsIn(folder).map(({ task }) => task);
}

function fileOf(folder: string): string {
  return join(folder, 'executed');
}
