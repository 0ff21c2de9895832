import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { effect, hasCode, isPlainObject, makePrivateFolder, sha256 } from '../../base/index.ts';
import { lookAtFile, replaceFile, type Durability } from '../files.ts';
import { writeConfig, type ConfigEntry } from './config-file.ts';
import { isLive, isOfWorktree, neverTaken } from './config-keys.ts';
import { attributesName, identityOf, linkParts, readConfig, readSmall } from './repository-parts.ts';
import { steeringOf } from './steering.ts';

/** What a repository said when a run began in it. */
interface ConfigRecord {
  readonly version: 1;
  /** Of the repository: another one at the same path is a stranger. */
  readonly identity: string;
  /** All that is not taken from the repository as it is now. */
  readonly entries: readonly ConfigEntry[];
  readonly attributes: string;
  /** By key, what the steering parts were. */
  readonly steering: Readonly<Record<string, string>>;
}

export interface SteeringChange {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface Confined {
  /** For GIT_COMMON_DIR: the repository with another configuration. */
  readonly folder: string;
  readonly settings: readonly string[];
}

interface Built {
  /** How the files looked that it was made from, and those that were made. */
  readonly from: string;
  readonly made: string;
  readonly hasWorktreeConfig: boolean;
}

const recordName = 'record.json';

/**
 * Gives every repository a second face: a folder of the user's own with links to all of its parts but the configuration. Git reads
 * that one and no other, so it does not matter what an agent writes into the repository's own, or when: between our look at it and
 * the start of git there is nothing to be won.
 */
export class RepositoryConfigs {
  readonly #folder: string;
  readonly #durability: Durability;
  readonly #built = new Map<string, Built>();
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(folder: string, durability: Durability) {
    this.#folder = folder;
    this.#durability = durability;
  }

  async confine(commonDir: string, gitDir: string | undefined): Promise<Confined> {
    const folder = this.#folderOf(commonDir);
    const built = await this.#inTurn(commonDir, () => this.#build(commonDir, folder));
    const own =
      built.hasWorktreeConfig && gitDir !== undefined ? await readConfig(gitDir, 'config.worktree') : [];
    const settings = own.filter(({ key }) => isOfWorktree(key));
    return {
      folder,
      settings: settings.flatMap(({ key, value = 'true' }) => ['-c', `${key}=${value}`]),
    };
  }

  /** What is there now is what counts from now on. `isFirst`: unless something was recorded before. */
  async record(
    commonDir: string,
    { isFirst, flatten }: { readonly isFirst: boolean; flatten(): Promise<readonly ConfigEntry[]> },
  ): Promise<void> {
    await this.#inTurn(commonDir, async () => {
      const before = await this.#readRecord(commonDir);
      if (isFirst && before !== undefined) return;
      const direct = await readConfig(commonDir);
      const all = direct.some(({ key }) => /^include(if)?\./.test(key)) ? await flatten() : direct;
      const isNow = ({ key, value }: ConfigEntry): boolean =>
        isLive(key) && direct.some((one) => one.key === key && one.value === value);
      const record: ConfigRecord = {
        version: 1,
        identity: await identityOf(commonDir),
        entries: all.filter((entry) => !isNow(entry) && !neverTaken.test(entry.key)),
        attributes: await readSmall(join(commonDir, attributesName)),
        steering: await steeringOf(commonDir),
      };
      const text = `${JSON.stringify(record, null, 2)}\n`;
      if (before !== undefined && text === `${JSON.stringify(before, null, 2)}\n`) return;
      const folder = this.#folderOf(commonDir);
      makeFolders([this.#folder, folder]);
      const write = (): Promise<void> => replaceFile(join(folder, recordName), text, this.#durability);
      await effect('git.config-recorded', write);
    });
  }

  /** What steers git, or somebody's git, and is not as it was recorded. */
  async changes(commonDir: string): Promise<readonly SteeringChange[]> {
    const before = (await this.#readRecord(commonDir))?.steering;
    if (before === undefined) return [];
    const after = await steeringOf(commonDir);
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    const changes = keys.map((key) => ({ key, before: before[key], after: after[key] }));
    return changes.filter((change) => change.before !== change.after);
  }

  /** For files of ours that are about the repository, where nobody who works in it can get at them. */
  folderBeside(commonDir: string): string {
    const folder = `${this.#folderOf(commonDir)}.own`;
    makeFolders([this.#folder, folder]);
    return folder;
  }

  #folderOf(commonDir: string): string {
    return join(this.#folder, sha256(commonDir).slice(0, 32));
  }

  #inTurn<T>(commonDir: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(commonDir) ?? Promise.resolve()).then(act);
    this.#turns.set(
      commonDir,
      turn.catch(() => undefined),
    );
    return turn;
  }

  async #build(commonDir: string, folder: string): Promise<Built> {
    const sources = [join(commonDir, 'config'), commonDir, join(folder, recordName)];
    // Looked at before it is read: what changes in between is found the next time.
    const from = await lookAt(sources);
    // Git says so in its own words where there is no repository any more.
    if ((await lookAtFile(commonDir)) === undefined) return { from, made: '', hasWorktreeConfig: false };
    const before = this.#built.get(commonDir);
    const made = [join(folder, 'config'), join(folder, attributesName)];
    if (before?.from === from && before.made === (await lookAt(made))) return before;
    makeFolders([this.#folder, folder, join(folder, 'info')]);
    const direct = await readConfig(commonDir);
    const record = await this.#readRecord(commonDir);
    // Git LFS keeps its files beside the configuration that it finds.
    const first = [{ key: 'lfs.storage', value: join(commonDir, 'lfs') }];
    const now = direct.filter(({ key }) => isLive(key));
    await this.#put(join(folder, 'config'), writeConfig([...first, ...(record?.entries ?? []), ...now]));
    await this.#put(join(folder, attributesName), record?.attributes ?? '');
    await linkParts(commonDir, folder);
    const built = { from, made: await lookAt(made), hasWorktreeConfig: hasWorktreeConfig(direct) };
    this.#built.set(commonDir, built);
    return built;
  }

  async #put(file: string, text: string): Promise<void> {
    const before = await readFile(file, 'utf8').catch(() => undefined);
    if (before !== text) await replaceFile(file, text, this.#durability);
  }

  async #readRecord(commonDir: string): Promise<ConfigRecord | undefined> {
    const file = join(this.#folderOf(commonDir), recordName);
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    if (!isPlainObject(value) || value['version'] !== 1) return undefined;
    const record = value as unknown as ConfigRecord;
    return record.identity === (await identityOf(commonDir)) ? record : undefined;
  }
}

function makeFolders(folders: readonly string[]): void {
  for (const folder of folders) makePrivateFolder(folder);
}

async function lookAt(files: readonly string[]): Promise<string> {
  return (await Promise.all(files.map(lookAtFile))).join('|');
}

function hasWorktreeConfig(entries: readonly ConfigEntry[]): boolean {
  const wanted = entries.findLast(({ key }) => key === 'extensions.worktreeconfig');
  return wanted !== undefined && /^(true|yes|on|1)$/i.test(wanted.value ?? 'true');
}
