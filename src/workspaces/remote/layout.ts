import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { sha256 } from '../../base/index.ts';
import type { Place, PlaceRequest } from '../contract.ts';
import { encodeName, placeName, placeWay, taskBranch } from '../git/index.ts';

/** A place of this adapter: all that other kinds may lack is there. */
export type RemotePlace = Place & {
  readonly kind: 'remote';
  readonly remote: string;
  readonly branch: string;
  readonly base: string;
};

export function isRemotePlace(place: Place): place is RemotePlace {
  const { kind, remote, branch, base } = place;
  return kind === 'remote' && remote !== undefined && branch !== undefined && base !== undefined;
}

/** The folder there of all that belongs to one repository here: readable, and another for another machine. */
export function repositoryName(commonDir: string): string {
  const name = basename(commonDir) === '.git' ? basename(dirname(commonDir)) : basename(commonDir, '.git');
  return `${encodeName(name)}-${sha256(`${hostname()} ${commonDir}`).slice(0, 12)}`;
}

/** The way from that folder to a place. */
export function placePath(request: Pick<PlaceRequest, 'run' | 'task' | 'generation'>): string {
  return `worktrees/${placeWay(request)}`;
}

export function placeBranch(request: Pick<PlaceRequest, 'run' | 'task' | 'generation'>): string {
  return taskBranch(request.run, placeName(request));
}

/** What marks a place there as ours: the token, as a part of a ref and of a path. */
export function markOf({ token }: Pick<Place, 'token'>): string {
  return encodeName(token);
}

/** Where things are there, seen from a place. */
export interface There {
  readonly repository: string;
  /** The folder of all attempts of the place. */
  readonly attempts: string;
}

export function thereOf({ path, token }: Pick<Place, 'path' | 'token'>): There {
  const root = dirname(dirname(dirname(path)));
  return { repository: `${root}/repository.git`, attempts: `${root}/attempts/${encodeName(token)}` };
}
