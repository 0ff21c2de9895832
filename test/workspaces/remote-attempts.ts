import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workIn, type RemoteBench, type Started } from '../support/remote-place.ts';
import type { WorkRequest } from '../../src/workspaces/index.ts';

/** A task whose command counts how often it begins, and ends when it is told so. */
export const patient = [
  'sh',
  '-c',
  'echo begun >>count; echo first; until [ -f go ]; do sleep 0.05; done; echo last; exit 5',
];

export async function atWork(
  bench: RemoteBench,
): Promise<{ work: (attempt: string) => WorkRequest; path: string }> {
  const request = bench.request('build');
  const { place } = await bench.places.prepare(request);
  return { work: (attempt) => workIn(request, place, { attempt }), path: place.path };
}

/** A shell makes a file before it writes into it. */
export function isWritten(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');
}

export function begun(path: string): number {
  const file = join(path, 'count');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}

/** All that stands for it here, as when this machine goes down. */
export function killRelay({ pid }: Started): void {
  process.kill(-pid, 'SIGKILL');
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** A zombie is dead. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
