import { isAbsolute, join, relative } from 'node:path';
import type { Origin } from '../../model/index.ts';
import type { Store } from '../../store/index.ts';
import type { RepositoryOrigin } from '../../workspaces/index.ts';
import type { ExportedRun } from './read-export.ts';

/**
 * Where a run that was imported goes on: in the folder of this project, with the same way to its workflow file. Undefined if it needs
 * a repository and its files are in none here: then it stays where it was, and what needs its folder says that this is gone.
 */
export function originHere(
  store: Store,
  { loaded: { state }, about }: ExportedRun,
  { folder, repository }: { readonly folder: string; readonly repository?: RepositoryOrigin },
): Origin | undefined {
  const { origin } = state;
  if (origin === undefined) return undefined;
  const { file, repository: before, store: _, ...rest } = origin;
  if (before !== undefined && repository === undefined) return undefined;
  return {
    ...rest,
    directory: folder,
    ...(file !== undefined && fileHere(relative(origin.directory, file), folder)),
    ...(store.file !== undefined && { store: store.file }),
    ...(before !== undefined && { repository: { ...repository!, base: about.base ?? before.base } }),
  };
}

/** One that lay elsewhere is not looked for. */
function fileHere(way: string, folder: string): Pick<Origin, 'file'> {
  return way.startsWith('..') || isAbsolute(way) ? {} : { file: join(folder, way) };
}
