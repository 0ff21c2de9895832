import { isSettled, type TaskState } from '../../kernel/index.ts';
import type {
  Health,
  KeptArchive,
  Look,
  PortBlock,
  RepositoryOrigin,
  Stray,
} from '../../workspaces/index.ts';
import { findLeftovers, type Leftover } from './find-leftovers.ts';
import {
  isDone,
  isStanding,
  lookAt,
  placesOf,
  readRecords,
  type RecordedPlace,
  type WorkspacePorts,
} from './recorded-places.ts';

/** A place of a task, what is kept of one, or what nobody knows of. */
export interface WorkspaceReport {
  readonly run?: string;
  readonly task?: string;
  /** Of a place, what it is; else what was found. */
  readonly kind: 'worktree' | 'directory' | 'remote' | 'archive' | Stray['kind'] | 'run';
  readonly status: 'ready' | 'in use' | 'needs attention' | 'archived' | 'removed' | 'stray';
  /** By a look at it. `unknown`: it was not looked at, or could not be. */
  readonly health: Health;
  /** Why it is as it is, for people. */
  readonly reason: string;
  readonly path?: string;
  /** The machine it is on, if it is not this one. */
  readonly remote?: string;
  readonly branch?: string;
  /** The commit it began from. */
  readonly base?: string;
  /** The commit that holds its files as they were last saved. */
  readonly snapshot?: string;
  /** The commit that holds what came of it. */
  readonly result?: string;
  /** Where it is kept: a ref of git, or the path of a folder. */
  readonly ref?: string;
  /** When it was archived. */
  readonly at?: number;
  /** Its number in a pool. */
  readonly slot?: number;
  readonly ports?: PortBlock;
  /** The attempt that works there. */
  readonly owner?: string;
  /** What it takes of the disk, if that was asked for. */
  readonly bytes?: number;
}

export interface WorkspacesOptions {
  /** Only of that run. */
  readonly run?: string;
  /** Also what each takes of the disk, which takes a while. */
  readonly withSize?: boolean;
  /** Of the project: what is left in the repository around it is found too. Default: the working directory. */
  readonly folder?: string;
}

/** Every place that is recorded, what is kept of places, and what nobody has recorded. Changes nothing. */
export async function reportWorkspaces(
  look: WorkspacePorts,
  { run, withSize = false, folder = process.cwd() }: WorkspacesOptions,
): Promise<readonly WorkspaceReport[]> {
  const records = await readRecords(look, run === undefined ? {} : { run });
  const { strays, archives, troubles } = await findLeftovers(look, records, folder);
  const places = records.runs.flatMap(({ state }) => placesOf(state));
  const looks = await lookAt(look, places.filter(isStanding));
  const named = new Set(places.map(({ place }) => place.cleaned?.ref));
  const found: Found[] = [
    ...places.map((place) => ({
      report: placeReport(place, looks.get(place)),
      repository: place.state.origin?.repository,
    })),
    ...archives.filter(({ ref }) => !named.has(ref)).map(archiveReport),
    ...strays.map(strayReport),
    ...records.unread.map((unread) => ({ report: unreadReport(unread) })),
    ...troubles.map((reason) => ({ report: unreadReport({ reason }) })),
  ];
  const meant = found.filter(({ report }) => run === undefined || report.run === run);
  return withSize ? measured(look, meant) : meant.map(({ report }) => report);
}

/** One after another: each walks through folders with as many hands as are good for the disk. */
async function measured(look: WorkspacePorts, found: readonly Found[]): Promise<readonly WorkspaceReport[]> {
  const reports: WorkspaceReport[] = [];
  for (const each of found) reports.push(await withBytes(look, each));
  return reports;
}

interface Found {
  readonly report: WorkspaceReport;
  readonly repository?: RepositoryOrigin | undefined;
}

function placeReport(recorded: RecordedPlace, look: Look | undefined): WorkspaceReport {
  const { state, task, place } = recorded;
  const { kind = 'worktree', path, remote, branch, base, snapshot, integrated, ports, cleaned } = place;
  return {
    run: state.run,
    task: task.address,
    kind,
    ...standingOf(recorded, look),
    path,
    ...defined({ remote, branch, base, snapshot, ports, slot: task.slot }),
    ...defined({ result: integrated?.result, ref: cleaned?.ref, owner: ownerOf(task) }),
  };
}

type Standing = Pick<WorkspaceReport, 'status' | 'health' | 'reason'>;

function standingOf(recorded: RecordedPlace, look: Look | undefined): Standing {
  const { task, place } = recorded;
  const { cleaned } = place;
  const { health, text } = look ?? { health: 'unknown' as const, text: '' };
  if (cleaned !== undefined && cleaned.how !== 'kept')
    return { status: cleaned.how, health, reason: cleaned.reason };
  if (isSettled(task.life)) return settledStanding(recorded, { health, text });
  if (health === 'drifted') return { status: 'needs attention', health, reason: text };
  if (task.life.status === 'held') return { status: 'needs attention', health, reason: task.life.reason };
  if (ownerOf(task) !== undefined) return { status: 'in use', health, reason: text };
  return { status: 'ready', health, reason: health === 'missing' ? willBeMade(recorded) : text };
}

/** Nobody needs it any more, however it is. */
function settledStanding(recorded: RecordedPlace, { health, text }: Pick<Look, 'health' | 'text'>): Standing {
  const { cleaned } = recorded.place;
  if (health === 'missing')
    return { status: 'removed', health, reason: 'it is gone, and its task has settled' };
  if (cleaned !== undefined) return { status: 'ready', health, reason: cleaned.reason };
  return { status: 'ready', health, reason: isDone(recorded) ? doneText(recorded) : text };
}

function doneText({ task: { life } }: RecordedPlace): string {
  if (life.status === 'succeeded') return 'it waits to be cleaned';
  return `its task is ${life.status}, and would go on there if it is tried again`;
}

export function willBeMade({ place: { snapshot, kind } }: RecordedPlace): string {
  const from = snapshot !== undefined ? ' from its snapshot' : kind === 'directory' ? '' : ' from its branch';
  return `it is gone, and will be made again${from} when the task goes on`;
}

function ownerOf({ life }: TaskState): string | undefined {
  return life.status === 'running' ? life.attempt?.id : undefined;
}

function archiveReport({ ref, run, task, at, repository }: Leftover<KeptArchive>): Found {
  const reason = 'kept before its place was removed';
  return {
    report: { run, task, kind: 'archive', status: 'archived', health: 'unknown', reason, ref, at },
    repository,
  };
}

function strayReport({ kind, name, run, task, text, repository }: Leftover<Stray>): Found {
  const where = kind === 'branch' ? { branch: name } : { path: name };
  const report = { kind, status: 'stray', health: 'unknown', reason: text, ...where } as const;
  return { report: { ...report, ...defined({ run, task }) }, repository };
}

function unreadReport({ run, reason }: { readonly run?: string; readonly reason: string }): WorkspaceReport {
  return { kind: 'run', status: 'needs attention', health: 'unknown', reason, ...defined({ run }) };
}

/** Of what is here; what was removed takes nothing, and elsewhere nobody is asked. */
async function withBytes({ ports }: WorkspacePorts, { report, repository }: Found): Promise<WorkspaceReport> {
  const { path, ref, remote, status } = report;
  const name = ref ?? (status === 'removed' ? undefined : path);
  if (name === undefined || remote !== undefined) return report;
  // An archive that is named in the journal may be gone: that is no reason not to tell of the others.
  const bytes = await ports.upkeep.bytesOf(repository, name).catch(() => undefined);
  return bytes === undefined ? report : { ...report, bytes };
}

type Defined<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}
