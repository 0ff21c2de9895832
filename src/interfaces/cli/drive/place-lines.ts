import type { Placement } from '../../../library/index.ts';
import type { PlannedPlace } from '../../../project/index.ts';

const inFolder = 'the folder of the run';
const withoutGit = `${inFolder}, as there is no git repository around it`;

export function placeText({ place, lacksRepository, pool }: Omit<PlannedPlace, 'task'>): string {
  if (place.mode === 'shared') return lacksRepository ? withoutGit : inFolder;
  const where = pool === undefined ? ownPlace(place) : `one of ${pool} places, in turn: ${ownPlace(place)}`;
  if (place.mode === 'directory') return where;
  const then = place.integrates ? 'its work is brought to the branch of the run' : 'only to look';
  return `${where}; ${then}`;
}

type OwnPlacement = Exclude<Placement, { readonly mode: 'shared' }>;

function ownPlace(place: OwnPlacement): string {
  switch (place.mode) {
    case 'worktree':
      return 'a git worktree of its own';
    case 'remote':
      return `a git worktree of its own on ${place.remote}`;
    case 'directory':
      return place.copyOf === undefined
        ? 'an empty folder of its own'
        : `a copy of ${folderName(place.copyOf)}`;
  }
}

function ownPlaces(place: OwnPlacement): string {
  switch (place.mode) {
    case 'worktree':
      return 'git worktrees of their own';
    case 'remote':
      return `git worktrees of their own on ${place.remote}`;
    case 'directory':
      return place.copyOf === undefined
        ? 'empty folders of their own'
        : `copies of ${folderName(place.copyOf)}`;
  }
}

function folderName(path: string): string {
  return /^[./]*$/.test(path) ? inFolder : path;
}

/** Where all of them work, in as few lines as that takes. */
export function placeLines(places: readonly PlannedPlace[]): string[] {
  const groups = Map.groupBy(places, ({ place, lacksRepository }) =>
    place.mode === 'shared' ? (lacksRepository ? withoutGit : inFolder) : ownPlaces(place),
  );
  return [...groups].map(([where, tasks]) => `in ${where}: ${tasks.map(taskText).join(', ')}`);
}

function taskText({ task, pool }: PlannedPlace): string {
  return pool === undefined ? task : `${task} (${pool} for all items)`;
}
