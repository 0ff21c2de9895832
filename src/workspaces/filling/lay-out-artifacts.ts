import { rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { deleteTree, effect, isInside } from '../../base/index.ts';
import { assertPlainWay, findEntry, isSameFile, waysIn, type Durability } from '../files.ts';
import type { Git } from '../git/index.ts';
import type { ArtifactStore, Artifacts } from './artifact-store.ts';
import { copyWhole, wayInFolder } from './copies.ts';
import { assertIgnored, prefixOf, type Filled } from './layout.ts';

export interface ArtifactTools {
  readonly git: Git;
  readonly durability: Durability;
  readonly store: ArtifactStore;
}

/**
 * As long as nobody has worked in the place, what is there otherwise is replaced: in a slot, it is of an earlier task. After
 * that, what is there is left alone.
 */
export async function bringArtifacts(tools: ArtifactTools, filled: Filled): Promise<void> {
  const { run, artifactsOf } = filled.request;
  for (const task of artifactsOf) {
    const artifacts = await tools.store.find(run, task);
    for (const path of artifacts.paths) await layOut(tools, filled, { task, artifacts, path });
  }
}

interface One {
  readonly task: string;
  readonly artifacts: Artifacts;
  readonly path: string;
}

async function layOut(tools: ArtifactTools, filled: Filled, { task, artifacts, path }: One): Promise<void> {
  const { request, root } = filled;
  const source = join(artifacts.folder, path);
  const way = join(prefixOf(request), path);
  const target = join(root, way);
  const aside = `${target}.replaced-${request.token}`;
  const isWorkedIn = request.known !== undefined;
  await assertPlainWay(root, target);
  if (!isWorkedIn) await deleteTree(aside);
  const [kept, found] = [(await findEntry(source))!, await findEntry(target)];
  if (found !== undefined && (isWorkedIn || (await isSameTree(source, target)))) return;
  const brought = { source, path: way, isFolder: kept.isDirectory(), why: `an artifact of ${task}` };
  await assertIgnored(tools.git, filled, brought);
  // In one step: half of an older one would be taken for all of the new one.
  if (found !== undefined) await effect('workspace.artifact-set-aside', () => rename(target, aside));
  await copyWhole(tools, { root, source, target, token: request.token });
  await deleteTree(aside);
}

async function isSameTree(one: string, other: string): Promise<boolean> {
  const [found, theirs] = [await findEntry(one), await findEntry(other)];
  if (found?.isDirectory() !== true || theirs?.isDirectory() !== true) return isSameFile(one, other);
  const [own, foreign] = [await waysIn(one), await waysIn(other)];
  if (own.join('\0') !== foreign.join('\0')) return false;
  for (const way of own) {
    if (!way.endsWith('/') && !(await isSameFile(join(one, way), join(other, way)))) return false;
  }
  return true;
}

/** Whether a file of the place is an artifact of another task, as that has left it. */
export async function isUnchangedArtifact(
  { store }: ArtifactTools,
  { request, root }: Filled,
  path: string,
): Promise<boolean> {
  const file = wayInFolder(request, path);
  for (const task of request.artifactsOf) {
    const artifacts = await store.find(request.run, task).catch(() => undefined);
    const isOne = artifacts?.paths.some((kept) => isInside(relative(kept, file))) === true;
    if (isOne && (await isSameFile(join(root, path), join(artifacts.folder, file)))) return true;
  }
  return false;
}
