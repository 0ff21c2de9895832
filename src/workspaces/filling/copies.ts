import { realpath, rename, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { deleteTree, effect, isInside, PitonError } from '../../base/index.ts';
import type { PlaceRequest } from '../contract.ts';
import { copyTree, findEntry, isSameFile, makeWay, orSetupFailure, type Durability } from '../files.ts';
import type { Git } from '../git/index.ts';
import { noteCopy, type NoteTools } from './copy-notes.ts';
import { assertIgnored, prefixOf, type Filled } from './layout.ts';

export interface CopyTools extends NoteTools {
  readonly git: Git;
}

/** What is there is left alone: the agent may have changed it. */
export async function bringCopies(tools: CopyTools, filled: Filled): Promise<void> {
  const { request, root } = filled;
  for (const file of request.copy) {
    const source = await sourceOf(request, file);
    if (source === undefined) throw missingFile(file, request.folder);
    const path = join(prefixOf(request), file);
    const target = join(root, path);
    if ((await findEntry(target)) !== undefined) continue;
    const isFolder = (await stat(source)).isDirectory();
    const brought = { source, path, isFolder, why: 'setup.copy' };
    await assertIgnored(tools.git, filled, brought);
    const arrived = (draft: string): Promise<void> => noteCopy(tools, { root, path, source, draft });
    await copyWhole(tools, { root, source, target, token: request.token, arrived });
  }
}

/** A file that is kept elsewhere and linked here is meant, not the link, which would lead nowhere from the place. */
async function sourceOf({ folder }: PlaceRequest, file: string): Promise<string | undefined> {
  return realpath(join(folder, file)).catch(() => undefined);
}

export interface WholeCopy {
  /** Of the place. */
  readonly root: string;
  readonly source: string;
  readonly target: string;
  readonly token: string;
  /** Called before it is at its place. */
  arrived?(draft: string): Promise<void>;
}

/** By renaming: after a crash, half of a copy would be taken for all of it. */
export async function copyWhole(
  { durability }: { readonly durability: Durability },
  copy: WholeCopy,
): Promise<void> {
  const { root, source, target, token } = copy;
  const draft = `${target}.copied-${token}`;
  await makeWay(root, target);
  await deleteTree(draft);
  await orSetupFailure(target, () => copyTree(source, draft, { durability }));
  await copy.arrived?.(draft);
  await effect('workspace.copied', () => rename(draft, target));
}

/** Whether a file of the place (a path from its root) is a copy that is still the same as where it came from. */
export async function isUnchangedCopy({ request, root }: Filled, path: string): Promise<boolean> {
  const file = wayInFolder(request, path);
  const name = request.copy.find((name) => isInside(relative(join(name), file)));
  const source = name === undefined ? undefined : await sourceOf(request, name);
  if (name === undefined || source === undefined) return false;
  return isSameFile(join(root, path), join(source, relative(join(name), file)));
}

/** A path from the root of the place, as one from the folder of the run. */
export function wayInFolder(request: PlaceRequest, path: string): string {
  return relative(prefixOf(request), path);
}

function missingFile(file: string, folder: string): PitonError {
  return new PitonError('SETUP_FAILED', `There is no ${file} in ${folder} to copy.`, {
    file,
    remedy: 'Take it out of `setup.copy`, or make it.',
  });
}
