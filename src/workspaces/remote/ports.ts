import type { PlaceRequest, RepositoryOrigin } from '../contract.ts';
import type { PlaceAdapter } from '../upkeep-contract.ts';
import type { Git } from '../git/index.ts';
import { PitonError, stateFolder } from '../../base/index.ts';
import { isRemotePlace, type RemotePlace } from './layout.ts';
import type { RemoteMachine } from '../../model/index.ts';
import { machineNamed } from './machine.ts';
import type { Keeping } from './keep.ts';
import { sharedSocket } from './shared-socket.ts';
import type { Line } from './ssh.ts';

export interface RemoteOptions {
  readonly git: Git;
  readonly machines: Readonly<Record<string, RemoteMachine>>;
  /** Where what comes home is laid out to be merged: not the folder of the other worktrees, where it would be a stray. */
  readonly folder: string;
  /** Folders that can be made again and need not be kept, by name. */
  readonly caches: readonly string[];
  /** The environment of Piton itself: what a task has the same of it belongs to this machine, and is not sent. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the keys are that exit records are known by. */
  readonly keys?: string;
  /** Worktrees here: what has come home is brought in, and kept, as theirs is. */
  worktree(): Promise<PlaceAdapter>;
  /** So long a machine that cannot be reached is called again. */
  readonly patienceMs?: number;
  /** Time between SIGTERM and SIGKILL here. There it is shorter: whoever stands for it here has to hear how it ended. */
  readonly graceMs?: number;
}

export type Resolved = Required<RemoteOptions>;

const defaults = { patienceMs: 30_000, graceMs: 5_000 };

export function resolveOptions(given: RemoteOptions): Resolved {
  return Object.freeze({ ...defaults, keys: stateFolder('keys'), ...given });
}

/** Throws `REMOTE_UNKNOWN`. */
export function lineTo({ machines, environment, patienceMs }: Resolved, remote: string): Line {
  return { machine: machineNamed(machines, remote), environment, patienceMs, shared: sharedSocket() };
}

/** A request of this kind has all that others may lack. */
export type RemoteRequest = PlaceRequest & { readonly repository: RepositoryOrigin };
export type PlacedRequest = RemoteRequest & { readonly known: RemotePlace };

export function inRepository<Request extends PlaceRequest>(
  request: Request,
): Request & { readonly repository: RepositoryOrigin } {
  const { repository } = request;
  if (repository !== undefined) return { ...request, repository };
  throw new PitonError(
    'GIT_MISSING',
    'A place on another machine needs a git repository here, and there is none.',
    {
      remedy: 'Start the run in a repository, or let the task work in `shared` or `directory`.',
    },
  );
}

export function inPlace<Request extends PlaceRequest>(
  request: Request,
): Request & { readonly repository: RepositoryOrigin; readonly known: RemotePlace } {
  const { known } = request;
  if (known !== undefined && isRemotePlace(known)) return { ...inRepository(request), known };
  throw new Error(`${request.task} has no place on another machine`);
}

type Worked = PlacedRequest & {
  readonly attempt: string;
  readonly seq: number;
  readonly at: number;
};

/** What is needed to bring the files of a place home. */
export function keepingOf(options: Resolved, request: Worked, label: string): Keeping {
  const { run, task, generation, repository, known, attempt, seq, at } = request;
  const line = lineTo(options, known.remote);
  return { git: options.git, line, repository, place: known, run, task, generation, attempt, seq, at, label };
}
