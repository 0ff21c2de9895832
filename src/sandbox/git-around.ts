import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Surroundings } from './bindings.ts';
import { realOf } from './follow-links.ts';

type Git = Surroundings['git'];

/** What git and Piton believe of a worktree. */
const recordFiles = ['commondir', 'gitdir', 'config.worktree', 'piton.json', 'locked'];

export function recordFilesOf(git: Git): string[] {
  const own = git?.own;
  return own === undefined ? [] : realOf(...recordFiles.map((name) => join(own.gitDir, name)));
}

/** What of git a task in this place needs. `branch`: of a worktree of its own. */
export function gitAround(
  { commonDir, branch }: { readonly commonDir?: string; readonly branch?: string },
  place: string,
): Git {
  if (commonDir === undefined || !existsSync(commonDir)) return undefined;
  const shared = realpathSync(commonDir);
  const kept = keptObjects(join(shared, 'objects'));
  const gitDir = branch === undefined ? undefined : recordOf(place, shared);
  if (gitDir === undefined) return { commonDir: shared, kept };
  // Not there, it could be made, and be believed from then on.
  makeFile(join(gitDir, 'config.worktree'));
  const log = join(shared, 'logs', branch!);
  makeFile(log);
  // Of the logs only its own: a link among them is followed by whoever writes there next.
  const branches = [dirname(join(shared, branch!)), log].filter((path) => realOf(path)[0] === path);
  return { commonDir: shared, kept, own: { gitDir, branches } };
}

/** A clone that fetches what it lacks when it is asked for, puts that into packs. */
function keptObjects(objects: string): string[] {
  const packs = join(objects, 'pack');
  mkdirSync(join(objects, 'info'), { recursive: true });
  mkdirSync(packs, { recursive: true });
  const isPartial = readdirSync(packs).some((name) => name.endsWith('.promisor'));
  return realOf(join(objects, 'info'), ...(isPartial ? [] : [packs]));
}

/** Only git's own record of this worktree: the link in the place is the agent's to write, if it was not contained before. */
function recordOf(place: string, shared: string): string | undefined {
  const gitDir = pathIn(join(place, '.git'), /^gitdir: (.+)\n?$/);
  if (gitDir === undefined || dirname(gitDir) !== join(shared, 'worktrees')) return undefined;
  return pathIn(join(gitDir, 'gitdir'), /^(.+)\n?$/) === join(place, '.git') ? gitDir : undefined;
}

function pathIn(file: string, form: RegExp): string | undefined {
  try {
    const path = form.exec(readFileSync(file, 'utf8'))?.[1];
    return path === undefined ? undefined : realpathSync(resolve(dirname(file), path));
  } catch {
    return undefined;
  }
}

/** Where it cannot be made, git says what it misses. */
function makeFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    closeSync(
      openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK),
    );
  } catch {
    return;
  }
}
