import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../surroundings.ts';

/** Where the programs of a task are looked for. */
export interface SearchPlace {
  /** Where the task works; undefined: that is known only when it begins. */
  readonly folder: string | undefined;
  /** Undefined: it is not known. */
  readonly searchPath: string | undefined;
}

/** `unknown`: nothing can be said about it from here. */
export type ProgramState = 'there' | 'missing' | 'not-executable' | 'unknown';

/** Finds programs as the tasks of a run would; each name is looked for once. */
export class Programs {
  readonly #known = new Map<string, ProgramState>();

  find(name: string, { folder, searchPath }: SearchPlace): ProgramState {
    if (name.includes('/'))
      return folder === undefined && !isAbsolute(name) ? 'unknown' : stateOf(resolve(folder ?? '/', name));
    if (searchPath === undefined) return 'unknown';
    const key = `${name}\0${searchPath}\0${folder}`;
    const state = this.#known.get(key) ?? onPath(name, searchPath, folder);
    this.#known.set(key, state);
    return state;
  }
}

/** A folder of the PATH that is relative is so to where the task works. */
function onPath(name: string, searchPath: string, folder: string | undefined): ProgramState {
  const folders = searchPath.split(delimiter).map((one) => (one === '' ? '.' : one));
  const known = folders.filter((one) => isAbsolute(one) || folder !== undefined);
  if (known.some((one) => stateOf(join(resolve(folder ?? '/', one), name)) === 'there')) return 'there';
  return known.length === folders.length ? 'missing' : 'unknown';
}

function stateOf(file: string): ProgramState {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() ? 'there' : 'missing';
  } catch {
    return existsSync(file) ? 'not-executable' : 'missing';
  }
}

/** The PATH that a task will have: its own, if it sets one. */
export function searchPathOf(
  env: Readonly<Record<string, unknown>>,
  environment: Environment,
): string | undefined {
  if (!Object.hasOwn(env, 'PATH')) return environment['PATH'] ?? '';
  const own = env['PATH'];
  return typeof own === 'string' && !own.includes('${{') ? own : undefined;
}
