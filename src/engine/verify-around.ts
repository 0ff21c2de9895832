import { asError } from '../base/index.ts';
import { isSettled, statusOf, type RunState, type TaskState } from '../kernel/index.ts';
import { isFinal, type Origin } from '../model/index.ts';
import type { RunFault, RunNote } from './run-verdict.ts';
import type { WitnessPorts } from './witnesses.ts';

/** What is wrong with what the journal of a run names outside of the store, and what is missing there without harm. */
export interface Around {
  readonly faults: readonly RunFault[];
  readonly notes: readonly RunNote[];
}

/** Looks at the files of the attempts under way, and at the commits and refs of git that the journal names. */
export async function verifyAround(ports: WitnessPorts, state: RunState): Promise<Around> {
  const { run } = state;
  const aside = await ports.store.quarantined(run);
  const found = [await lostSpools(ports, state), await lostObjects(ports, state)];
  const what = `${aside.length} ${aside.length === 1 ? 'commit was' : 'commits were'} moved aside by repairs`;
  const kept: RunNote = {
    in: 'quarantine',
    what,
    consequence: 'they are kept in the store, and count for nothing',
  };
  return {
    faults: found.flatMap(({ faults }) => faults),
    notes: [...(aside.length > 0 ? [kept] : []), ...found.flatMap(({ notes }) => notes)],
  };
}

/** Of an attempt that has ended, nobody needs the files any more; of one under way, its end is to be found there. */
async function lostSpools({ spool }: WitnessPorts, { run, tasks }: RunState): Promise<Around> {
  const faults: RunFault[] = [];
  for (const { address, life } of tasks.values()) {
    const attempt = life.status === 'running' ? life.attempt : undefined;
    if (attempt?.process === undefined || attempt.isOfParent === true) continue;
    if ((await spool.describe(attempt.id)) !== undefined) continue;
    faults.push({
      in: 'spool',
      what: `${address}: the files of its attempt, ${spool.folderOf(attempt.id)}, are gone, and its process was started`,
      consequence: 'what it has done cannot be found out',
      remedy: `piton resume ${run} asks you what to do about ${address}, unless it may be repeated.`,
    });
  }
  return { faults, notes: [] };
}

interface Named {
  /** A commit, or the whole name of a ref. */
  readonly name: string;
  readonly what: string;
  /** A run that goes on needs it. */
  readonly isNeeded: boolean;
}

async function lostObjects({ workspaces }: WitnessPorts, state: RunState): Promise<Around> {
  const repository = state.origin?.repository;
  const named = repository === undefined ? [] : namedIn(state);
  if (repository === undefined || named.length === 0) return { faults: [], notes: [] };
  try {
    const names = named.map(({ name }) => name);
    const missing = new Set(await workspaces.missing(repository, names));
    const lost = named.filter(({ name }) => missing.has(name));
    return {
      faults: lost.filter(({ isNeeded }) => isNeeded).map((one) => faultOf(state.run, one, repository)),
      notes: lost
        .filter(({ isNeeded }) => !isNeeded)
        .map(({ what, name }) => ({
          in: 'git',
          what: `${what}, ${name}, is not in git any more`,
          consequence: 'nothing that goes on needs it',
        })),
    };
  } catch (thrown) {
    const what = `${repository.commonDir} cannot be asked: ${asError(thrown).message}`;
    return {
      faults: [],
      notes: [{ in: 'git', what, consequence: 'whether its commits are there is not known' }],
    };
  }
}

function faultOf(run: string, { what, name }: Named, { root }: NonNullable<Origin['repository']>): RunFault {
  return {
    in: 'git',
    what: `${what}, ${name}, is not in git any more`,
    consequence: 'tasks that need it are held',
    remedy: `Bring it back to ${root} (git fetch, or a copy of the repository), or see what each task can do: piton workspace list ${run}`,
  };
}

function namedIn(state: RunState): Named[] {
  const isOver = isFinal(statusOf(state));
  const tip =
    state.tip === undefined
      ? []
      : [{ name: state.tip, what: 'the commit that holds what its tasks have made', isNeeded: !isOver }];
  return [...tip, ...[...state.tasks.values()].flatMap((task) => namedBy(task))];
}

function namedBy({ address, life, workspace }: TaskState): Named[] {
  if (workspace === undefined) return [];
  const { snapshot, cleaned } = workspace;
  const isArchived = cleaned?.ref?.startsWith('refs/') === true;
  return [
    // Once it was cleaned up after, what was saved on the way goes with it.
    ...(snapshot === undefined || cleaned !== undefined
      ? []
      : [
          {
            name: snapshot,
            what: `${address}: the files as they were last saved`,
            isNeeded: !isSettled(life),
          },
        ]),
    ...(isArchived
      ? [{ name: cleaned.ref!, what: `${address}: what was archived of its place`, isNeeded: false }]
      : []),
  ];
}
