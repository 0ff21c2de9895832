import { sha256 } from '../base/index.ts';

/** Taken by Piton itself beside names of runs and tasks. */
export const reservedNames: ReadonlySet<string> = new Set(['archive', 'kept', 'runs']);
const readableLength = 40;
const hashLength = 16;

/**
 * Any name as a part of a ref and as the name of a folder: valid, readable, and different for different names even where
 * upper and lower case are the same. A plain name is itself; all others get a part of their hash after a dot, which no
 * plain name contains.
 */
export function encodeName(name: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,59}$/.test(name) && !reservedNames.has(name)) return name;
  const readable = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replaceAll(/^-+/g, '')
    .slice(0, readableLength)
    .replaceAll(/-+$/g, '');
  return `${readable || 'name'}.${sha256(name).slice(0, hashLength)}`;
}

/** The branch that holds what the tasks of a run have made. */
export function runBranch(run: string): string {
  return `refs/heads/piton/${encodeName(run)}`;
}
