import { resolve } from 'node:path';
import {
  checkConfigFile,
  checkEnvironment,
  migrateConfigFile,
  settingsOf,
  type ConfigProblem,
  type ConfigReport,
  type ConfigSetting,
  type MigratedConfig,
} from '../config/index.ts';
import type { Surroundings, Trusting } from './surroundings.ts';

/** What holds for a project, and where each value is from. */
export interface ShownConfig {
  readonly files: { readonly user: string; readonly project: string };
  /** false: of the project's own file only what neither executes nor grants anything is used. */
  readonly isTrusted: boolean;
  readonly settings: readonly ConfigSetting[];
}

export async function showConfig(project: Trusting): Promise<ShownConfig> {
  const { config } = project;
  const isTrusted = (await project.granted()) === config;
  return { files: config.files, isTrusted, settings: settingsOf(config, isTrusted) };
}

/** What is wrong with the files of a configuration, or with another file, and with what is set in the environment. */
export interface CheckedConfig {
  readonly ok: boolean;
  readonly files: readonly ConfigReport[];
  readonly environment: readonly ConfigProblem[];
}

export async function checkConfig(around: Surroundings, named?: string): Promise<CheckedConfig> {
  const judged = filesOf(around, named).map((each) => ({ ...each, isNamed: named !== undefined }));
  const files = await Promise.all(judged.map(checkConfigFile));
  const environment = named === undefined ? await checkEnvironment(around.env) : [];
  const ok = environment.length === 0 && files.every(({ problems }) => problems.length === 0);
  return { ok, files, environment };
}

/** Writes files of older versions anew. What is not there is not told. */
export async function migrateConfig(
  around: Surroundings,
  named?: string,
): Promise<readonly MigratedConfig[]> {
  const migrated: MigratedConfig[] = [];
  for (const { file } of filesOf(around, named)) {
    const done = await migrateConfigFile(file);
    if (done !== undefined) migrated.push(done);
  }
  return migrated;
}

function filesOf(
  { config, directory }: Surroundings,
  named: string | undefined,
): { readonly file: string; readonly isOfUser: boolean }[] {
  const { user, project } = config.files;
  if (named === undefined)
    return [
      { file: user, isOfUser: true },
      { file: project, isOfUser: false },
    ];
  const file = resolve(directory, named);
  return [{ file, isOfUser: file === user }];
}
