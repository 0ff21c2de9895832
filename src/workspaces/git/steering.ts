/** What in a repository makes git start programs. Everybody who works in one of its worktrees may have written it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../base/index.ts';
import { lookAtFile, namesIn } from '../files.ts';
import { parseConfig, type ConfigEntry } from './config-file.ts';
import { isExecuting } from '../../model/index.ts';
import { attributesName, readSmall, readWhole } from './repository-parts.ts';

type Steering = Record<string, string>;

/** By name, a short form of all of it: keys, attributes, hooks; of the repository, its worktrees and its submodules. */
export async function steeringOf(commonDir: string): Promise<Readonly<Steering>> {
  const steering: Steering = {};
  const entries = await addConfig(steering, join(commonDir, 'config'), { before: '', name: 'config' });
  await addFiles(steering, commonDir, '');
  if (readsWorktrees(entries)) await addWorktreeConfig(steering, commonDir, '');
  for (const name of await namesIn(join(commonDir, 'worktrees'))) {
    const [folder, before] = [join(commonDir, 'worktrees', name), `worktrees/${name}/`];
    if (readsWorktrees(entries)) await addWorktreeConfig(steering, folder, before);
    await addOtherRepository(steering, folder, before);
  }
  await addModules(steering, commonDir, 'modules');
  return steering;
}

interface Named {
  /** Where it lies in the repository, before the names of its parts. */
  readonly before: string;
  readonly name: string;
}

async function addConfig(
  steering: Steering,
  file: string,
  { before, name }: Named,
): Promise<readonly ConfigEntry[]> {
  const text = await readWhole(file);
  const { entries, isWhole } = parseConfig(text ?? '');
  // What we cannot read to its end, git may: all of it counts as one thing that starts programs.
  if (text === undefined || !isWhole) {
    const seen = text ?? (await lookAtFile(file)) ?? '';
    steering[`${before}${name}`] = shortForm(seen);
  }
  const prefix = before === '' && name === 'config' ? '' : `${before}${name} `;
  const executing = entries.filter(
    ({ key }) => isExecuting(key) && !(prefix !== '' && key === 'core.worktree'),
  );
  for (const [key, values] of Map.groupBy(executing, ({ key: one }) => one))
    steering[`${prefix}${key}`] = shortForm(JSON.stringify(values.map(({ value }) => value ?? null)));
  return entries;
}

async function addWorktreeConfig(steering: Steering, folder: string, before: string): Promise<void> {
  await addConfig(steering, join(folder, 'config.worktree'), { before, name: 'config.worktree' });
}

/** A worktree's record may say that the repository is another one. */
async function addOtherRepository(steering: Steering, folder: string, before: string): Promise<void> {
  const named = (await readSmall(join(folder, 'commondir'))).trim();
  if (named !== '' && named !== '../..') steering[`${before}commondir`] = shortForm(named);
}

async function addFiles(steering: Steering, folder: string, before: string): Promise<void> {
  const attributes = await readSmall(join(folder, attributesName));
  if (attributes !== '') steering[`${before}${attributesName}`] = shortForm(attributes);
  for (const name of await namesIn(join(folder, 'hooks'))) {
    const look = await lookAtFile(join(folder, 'hooks', name));
    if (!name.endsWith('.sample') && look !== undefined) steering[`${before}hooks/${name}`] = shortForm(look);
  }
}

/** Deeper than anybody has submodules in submodules. */
const deepest = 16;

/** Who asks a repository how it stands asks its submodules. The names of these may have slashes. */
async function addModules(steering: Steering, commonDir: string, path: string): Promise<void> {
  if (path.split('/').length > deepest) return;
  const folder = join(commonDir, path);
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const isRepository = found.some(({ name }) => name === 'HEAD');
  if (isRepository) {
    await addConfig(steering, join(folder, 'config'), { before: `${path}/`, name: 'config' });
    await addFiles(steering, folder, `${path}/`);
    return addModules(steering, commonDir, `${path}/modules`);
  }
  for (const entry of found) {
    const inner = `${path}/${entry.name}`;
    // Git makes none; where it leads, it would be obeyed.
    if (entry.isSymbolicLink()) steering[inner] = 'link';
    if (entry.isDirectory()) await addModules(steering, commonDir, inner);
  }
}

function readsWorktrees(entries: readonly ConfigEntry[]): boolean {
  return entries.some(({ key }) => key === 'extensions.worktreeconfig');
}

function shortForm(text: string): string {
  return sha256(text).slice(0, 16);
}
