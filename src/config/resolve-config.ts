import { join } from 'node:path';
import { configFolder } from '../base/index.ts';
import type { Config, Surroundings } from './config.ts';
import { readEach, type Setting } from './config-source.ts';
import { readProjectFile, readUserFile } from './config-file.ts';
import { defaultLayer } from './default-layer.ts';
import { environmentLayer } from './environment-layer.ts';
import { findRoot } from './find-root.ts';
import type { Layer } from './layers.ts';
import { parseConfig } from './parse-config.ts';
import { readSettings } from './read-config-file.ts';
import { settle } from './settle-config.ts';

/**
 * Flags before environment before `.piton/config.yaml` before the user's own file before defaults. Throws `CONFIG_INVALID`,
 * `CONFIG_TOO_NEW`.
 */
export async function resolveConfig(given: Surroundings): Promise<Config> {
  const { directory } = given;
  const { root, isProject } = findRoot(given);
  const folder = join(root, '.piton');
  const files = { user: userFileOf(given), project: join(folder, 'config.yaml') };
  const isRead = given.flags.ignoresFiles !== true;
  const userText = isRead ? readUserFile(files.user) : undefined;
  const text = isRead && isProject ? readProjectFile(files.project, root) : undefined;
  const layers: Layer[] = [
    defaultLayer,
    ...(await fileLayer('user', files.user, userText)),
    ...(await fileLayer('project', files.project, text)),
    ...(isRead ? [environmentLayer(given.env)] : []),
    ...flagLayer(given),
  ];
  // One by one: what a stronger layer covers up is wrong all the same.
  readEach(layers, ({ setting }) => readSettings(setting));
  return settle({ root, isProject, folder, directory, text, userText, files }, layers);
}

/** The file of the user that holds in all projects; it need not be there. */
function userFileOf({ env }: Pick<Surroundings, 'env'>): string {
  return join(configFolder(env), 'config.yaml');
}

async function fileLayer(
  name: 'user' | 'project',
  file: string,
  text: string | undefined,
): Promise<readonly Layer[]> {
  if (text === undefined) return [];
  const setting: Setting = { ...(await parseConfig(text, file)), isOfUser: name === 'user' };
  return [{ name, setting }];
}

function flagLayer({ flags: { store } }: Surroundings): readonly Layer[] {
  if (store === undefined) return [];
  return [
    { name: 'flag', setting: { value: { store }, path: [], placeOf: (path) => `--${path.join('-')}` } },
  ];
}
