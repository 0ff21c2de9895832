import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PitonError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where Piton keeps what belongs to this user and to no project: below it, that folder. It need not be there. */
export function stateFolder(name: string, environment: Environment = process.env): string {
  const { XDG_STATE_HOME: state, HOME: home } = environment;
  return join(state || join(home || homedir(), '.local', 'state'), 'piton', name);
}

/** Makes a folder that nobody else can look into. Throws `FOLDER_UNSAFE` if somebody else owns it, or it is a link. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const isOurs = found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid);
  if (!isOurs) throw unsafe(folder, found.isDirectory() ? 'belongs to another user' : 'is not a folder');
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

function unsafe(folder: string, why: string): PitonError {
  return new PitonError(
    'FOLDER_UNSAFE',
    `${folder} ${why}, and what Piton keeps in it must be this user's alone.`,
    {
      folder,
      remedy: 'Move it away, or set XDG_STATE_HOME to a folder of your own.',
    },
  );
}
