import { chmodSync, lstatSync, mkdirSync, statSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { PitonError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where Piton keeps what belongs to this user and to no project: below it, that folder. It need not be there. */
export function stateFolder(name: string, environment: Environment = process.env): string {
  const { XDG_STATE_HOME: state, HOME: home } = environment;
  return join(userFolder(state, join('.local', 'state'), home), 'piton', name);
}

/** The same for what can be made again. */
export function cacheFolder(name: string, environment: Environment = process.env): string {
  const { XDG_CACHE_HOME: cache, HOME: home } = environment;
  return join(userFolder(cache, '.cache', home), 'piton', name);
}

/** Where the user configures Piton for all projects. It need not be there. */
export function configFolder(environment: Environment = process.env): string {
  const { XDG_CONFIG_HOME: config, HOME: home } = environment;
  return join(userFolder(config, '.config', home), 'piton');
}

/** What is relative does not count, as the standard for these variables has it: it would lie in whatever project one is in. */
function userFolder(given: string | undefined, usual: string, home: string | undefined): string {
  if (given !== undefined && isAbsolute(given)) return given;
  return join(home !== undefined && isAbsolute(home) ? home : homedir(), usual);
}

/** Makes a folder that nobody else can look into. Throws `FOLDER_UNSAFE` if somebody else owns it, or it is a link. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  assertOwnFolder(folder);
  if ((lstatSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** Nobody else has put it there, and it is no link. Of what is not there, nothing is said. Throws `FOLDER_UNSAFE`. */
export function assertOwnFolder(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === false) throw unsafe(folder, 'is not a folder');
  if (found !== undefined && !isOurs(found)) throw unsafe(folder, 'belongs to another user');
}

/** The same of a file, which may be elsewhere. */
export function assertOwnFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found !== undefined && !isOurs(found)) throw unsafe(file, 'belongs to another user');
}

function isOurs({ uid }: Stats): boolean {
  return uid === (process.getuid?.() ?? uid);
}

function unsafe(folder: string, why: string): PitonError {
  return new PitonError(
    'FOLDER_UNSAFE',
    `${folder} ${why}, and what Piton keeps in it must be this user's alone.`,
    {
      folder,
      remedy:
        'Move it away, or make it your own (chown). For what lies in your home: set XDG_STATE_HOME to a folder of your own.',
    },
  );
}
