import { plural } from '../../../base/index.ts';
import { relative, sep } from 'node:path';
import { bytesText, type WorkspaceReport } from '../../../library/index.ts';
import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine, type Cell } from '../output/index.ts';
import { commandFor } from '../command-for.ts';
import { openAnyway, runGiven, type WorkspaceOptions } from './options.ts';

const head = ['RUN', 'TASK', 'KIND', 'STATUS', 'HEALTH', 'SIZE', 'WHERE AND WHY'];

export async function listPlaces(context: Context, given: Invocation<WorkspaceOptions>): Promise<ExitCode> {
  const { output, config } = context;
  const piton = await openAnyway(context);
  const { options } = given;
  const withSize = options.size === true;
  const places = await piton.workspaces({
    ...(await runGiven(piton, given)),
    withSize,
    folder: config.root,
  });
  output.json(places);
  const shown = options.all === true ? places : places.filter(({ status }) => status !== 'removed');
  if (shown.length > 0)
    output.table(
      shown.map((place) => rowOf(context, place)),
      { head: headFor(withSize) },
    );
  const hidden = places.length - shown.length;
  if (hidden > 0)
    output.print(
      `${plural(hidden, 'place')} of tasks that have settled ${hidden === 1 ? 'was' : 'were'} removed (--all).`,
    );
  if (places.length === 0) output.print('No task has a place of its own here.');
  if (withSize) output.print(`Together they take ${bytesText(sumOf(places))}.`);
  output.next(nextFor(shown));
  return exitCodes.done;
}

/** A column in which nothing stands should not have a head either. */
function headFor(withSize: boolean): string[] {
  return withSize ? head : head.with(5, '');
}

const colours = {
  ready: 'green',
  'in use': 'blue',
  'needs attention': 'magenta',
  archived: 'dim',
  removed: 'dim',
  stray: 'yellow',
} as const;

function rowOf({ output, config }: Context, place: WorkspaceReport): (Cell | string)[] {
  const { run = '', task = '', kind, status, health, bytes } = place;
  return [
    run,
    cleanLine(task),
    kind,
    { text: status, paint: output.style[colours[status]] },
    health === 'unknown' ? '' : health,
    bytes === undefined ? '' : bytesText(bytes),
    whereText(config.root, place),
  ];
}

function whereText(root: string, { path, remote, branch, ref, status, reason }: WorkspaceReport): string {
  const isThere = status !== 'archived' && status !== 'removed';
  const where = isThere ? (path ?? branch) : ref;
  const named = remote === undefined || where === undefined ? shortPath(root, where) : `${remote}:${where}`;
  return cleanLine([named, reason].filter((text) => text !== undefined && text !== '').join(': '));
}

/** Most are in the project: its own path would only take the room of the reason. */
function shortPath(root: string, path: string | undefined): string | undefined {
  return path?.startsWith(`${root}${sep}`) === true ? relative(root, path) : path;
}

function sumOf(places: readonly WorkspaceReport[]): number {
  return places.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
}

function nextFor(places: readonly WorkspaceReport[]): string {
  const troubled = places.find(({ status }) => status === 'needs attention');
  if (troubled?.task !== undefined) return commandFor('workspace show', troubled.run!, troubled.task);
  if (troubled !== undefined) return 'piton doctor';
  return places.some(({ status }) => status !== 'in use') ? 'piton workspace clean --dry-run' : 'piton list';
}
