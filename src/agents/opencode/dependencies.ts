import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { at, readObject } from '../json-fields.ts';

/**
 * Whether OpenCode has in each of its folders what it installs there for plugins. It does so at every start, by npm and
 * in the background; with a plugin it waits for it, which without a registry takes minutes.
 */
export function isEquipped(directory: string, environment: Readonly<Record<string, string>>): boolean {
  const { XDG_CONFIG_HOME: config, OPENCODE_CONFIG_DIR: own, HOME: home = homedir() } = environment;
  const always = [join(config || join(home, '.config'), 'opencode'), ...(own ? [own] : [])];
  const near = [home, ...withParents(directory)].map((folder) => join(folder, '.opencode'));
  return [...always, ...near.filter((folder) => existsSync(folder))].every(hasPackage);
}

function withParents(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

/** As it looks itself: another version of the package will do. */
function hasPackage(folder: string): boolean {
  try {
    const lock = readObject(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    const listed = at(lock, 'packages', '', 'dependencies', '@opencode-ai/plugin');
    return listed !== undefined && existsSync(join(folder, 'node_modules'));
  } catch {
    return false;
  }
}
