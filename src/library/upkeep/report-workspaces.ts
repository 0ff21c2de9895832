import { isSettled, type TaskState } from '../../kernel/index.ts';
import type { KeptArchive, KeptRef, Look, RepositoryOrigin, Stray } from '../../workspaces/index.ts';
import { findLeftovers, type Leftover } from './find-leftovers.ts';
import { keptReport } from './report-kept.ts';
import {
  isDone,
  isStanding,
  lookAt,
  placesOf,
  readRecords,
  type RecordedPlace,
  type Records,
  type WorkspacePorts,
} from './recorded-places.ts';
import type { WorkspaceReport } from './workspace-report.ts';

/** Which places `piton.workspaces` reports. */
export interface WorkspacesOptions {
  /** Only of that run. */
  readonly run?: string;
  /** Only of that task of the run, by its address: the places of the others are not looked at. */
  readonly task?: string;
  /** Also what each takes of the disk, which takes a while. */
  readonly withSize?: boolean;
  /** Of the project: what is left in the repository around it is found too. Default: the working directory. */
  readonly folder?: string;
}

/** Every place that is recorded, what is kept of places, and what nobody has recorded. Changes nothing. */
export async function reportWorkspaces(
  look: WorkspacePorts,
  { run, task, withSize = false, folder = process.cwd() }: WorkspacesOptions,
): Promise<readonly WorkspaceReport[]> {
  const records = await readRecords(look, run === undefined ? {} : { run });
  const { strays, archives, kept, troubles } = await findLeftovers(look, records, folder);
  const places = records.runs.flatMap(({ state }) => placesOf(state));
  const isMeant = (about: Pick<WorkspaceReport, 'run' | 'task'>): boolean =>
    (run === undefined || about.run === run) && (task === undefined || about.task === task);
  const wanted = places.filter((place) => isMeant({ run: place.state.run, task: place.task.address }));
  const looks = await lookAt(look, wanted.filter(isStanding));
  const named = new Set(places.map(({ place }) => place.cleaned?.ref));
  const found: Found[] = [
    ...wanted.map((place) => ({
      report: placeReport(place, looks.get(place)),
      repository: place.state.origin?.repository,
    })),
    ...archives.filter(({ ref }) => !named.has(ref)).map(archiveReport),
    ...kept.flatMap((ref) => keptFound(ref, records)),
    ...strays.map(strayReport),
    ...records.unread.map((unread) => ({ report: unreadReport(unread) })),
    ...troubles.map((reason) => ({ report: unreadReport({ reason }) })),
  ];
  const meant = found.filter(({ report }) => isMeant(report));
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
  const how =
    life.status === 'cancelled'
      ? 'was cancelled'
      : life.status === 'failed'
        ? 'has failed'
        : `is ${life.status}`;
  return `its task ${how}, and would go on there if it is tried again`;
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

function keptFound({ repository, ...kept }: Leftover<KeptRef>, records: Records): Found[] {
  const report = keptReport(kept, records);
  return report === undefined ? [] : [{ report, repository }];
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
