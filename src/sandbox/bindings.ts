import { isWithin } from './follow-links.ts';

/** What a contained process finds at a path. What is deeper counts more; of the same path, the later one. */
export interface Binding {
  readonly path: string;
  /** `hidden`: an empty folder. `own`: the attempt's temporary folder is there. `closed`: an empty file. */
  readonly as: 'read' | 'write' | 'hidden' | 'own' | 'closed';
}

/** Paths are absolute, without links, and there. */
export interface Surroundings {
  /** Where the task works. */
  readonly place: string;
  /** False: it only reads there. */
  readonly mayWrite: boolean;
  /** Of a repository around it, if there is one. */
  readonly git?: {
    readonly commonDir: string;
    /** Of a worktree of its own: git's record of it, the folder of its branch, and the log of that. */
    readonly own?: { readonly gitDir: string; readonly branches: readonly string[] };
    /** In the objects: what says where others are, and what everybody's history is packed into. */
    readonly kept: readonly string[];
  };
  /** The project's: all that lies beside the spool. */
  readonly state?: string;
  /** In it: other tasks' processes, places and what was kept of them. */
  readonly others: readonly string[];
  /** Of the attempt, in the spool; `own` in it is its to write. */
  readonly attempt: string;
  /** Of the user: keys and what was decided about trust. */
  readonly secretFolders: readonly string[];
  /** Temporary folders of the machine. */
  readonly temporary: readonly string[];
  /** Where the machine's services listen. */
  readonly services: readonly string[];
  /** Needed to reach the network, or by the system itself, though it lies there. */
  readonly needed: readonly string[];
  /** Of package managers, and those that the task has declared. */
  readonly caches: readonly string[];
  /** Where the agent keeps its sessions and its login. */
  readonly sessions: readonly string[];
  /** Folders of programs and scripts that others run, and each attempt has of its own. */
  readonly apart: readonly string[];
  /** What agents, git and Piton obey: in the place, in the agent's own folder, in git's record of the place. */
  readonly steering: readonly string[];
  /** Where programs outside listen. */
  readonly sockets: readonly string[];
}

/**
 * The rules, as one table. A process reads what its user may read, but for what is hidden; it writes where it is at work. Later
 * rows are for paths inside of earlier ones.
 */
export function bindingsOf(around: Surroundings): Binding[] {
  const { place, git, state, attempt } = around;
  const asWork = around.mayWrite ? 'write' : 'read';
  const rows: readonly (readonly [Binding['as'], readonly string[]])[] = [
    ['read', ['/']],
    ['own', around.temporary],
    ['hidden', around.services],
    ['hidden', around.secretFolders],
    ['read', around.needed],
    ['write', around.caches],
    ['write', around.sessions],
    ['own', around.apart],
    [asWork, [place]],
    ['read', git === undefined ? [] : [git.commonDir]],
    [asWork, git === undefined ? [] : [`${git.commonDir}/objects`]],
    ['read', git?.kept ?? []],
    [asWork, git?.own === undefined ? [] : [git.own.gitDir, ...git.own.branches]],
    // In the folder of the run it may lie in the place; a place of its own lies in it.
    ['read', state === undefined ? [] : [state]],
    ['hidden', around.others],
    ['read', [attempt]],
    ['write', [`${attempt}/own`]],
    ['read', around.steering],
  ];
  const bindings = rows.flatMap(([as, paths]) => paths.map((path): Binding => ({ path, as })));
  const all = deepestLast(bindings);
  return [...all, ...closed(around.sockets, all)];
}

/** Those that can be seen. What listens in the place may be its own, or a service for it. */
function closed(sockets: readonly string[], bindings: readonly Binding[]): Binding[] {
  return sockets
    .filter((path) => bindings.findLast((binding) => isWithin(binding.path, path))?.as === 'read')
    .map((path) => ({ path, as: 'closed' }));
}

/** Mounts cover what lies below them: each comes after those it lies in. */
function deepestLast(bindings: readonly Binding[]): Binding[] {
  const last = new Map(bindings.map((binding) => [binding.path, binding]));
  return [...last.values()].toSorted((a, b) => depth(a.path) - depth(b.path));
}

function depth(path: string): number {
  return path.split('/').filter((part) => part !== '').length;
}
