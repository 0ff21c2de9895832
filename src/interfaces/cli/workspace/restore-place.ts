import { resolve } from 'node:path';
import { PitonError, shellWord } from '../../../base/index.ts';
import type { Piton } from '../../../library/index.ts';
import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { findTask } from '../find-task.ts';

import { changePlace } from './change-place.ts';
import { openAnyway, placeGiven, type WorkspaceOptions } from './options.ts';

/** A held task goes on in what is restored; of any other, or by its ref, what is kept is laid out to be looked at. */
export async function restorePlace(context: Context, given: Invocation<WorkspaceOptions>): Promise<ExitCode> {
  const { to } = given.options;
  const [, ref] = given.args;
  if (ref?.startsWith('refs/') === true) return layOut(context, { ref, to });
  return restoreOfTask(context, given);
}

async function restoreOfTask(context: Context, given: Invocation<WorkspaceOptions>): Promise<ExitCode> {
  const { to, from } = given.options;
  const { prefix, address } = placeGiven(given);
  const piton = await context.openExisting();
  const { run } = await piton.findRecord(prefix);
  const { status } = findTask(await (await piton.find(run)).checkpoint(), address);
  if (to === undefined && status === 'held') return changePlace(context, given);
  if (to === undefined) throw notHeld(address, status);
  const ref = from ?? (await lastArchive(context, piton, { run, address }));
  return layOut(context, { ref, to, of: { run, task: address } });
}

interface Layout {
  readonly ref: string;
  readonly to: string | undefined;
  /** Absent: of a run that may be known to nobody any more. */
  readonly of?: { readonly run: string; readonly task: string };
}

async function layOut(context: Context, { ref, to, of }: Layout): Promise<ExitCode> {
  if (to === undefined) throw nowhere(ref);
  const folder = resolve(context.directory, to);
  const piton = await openAnyway(context);
  await piton.restoreArchive({ ref, to: folder, folder: context.config.root });
  context.output.json({ ...of, ref, folder });
  context.output.print(`Laid out in ${folder}: ${ref}`);
  context.output.next(`cd ${shellWord(folder)}`);
  return exitCodes.done;
}

function nowhere(ref: string): PitonError {
  return new PitonError('USAGE_INVALID', `${ref} is no task whose place could be exchanged.`, {
    ref,
    remedy: 'Name a folder in which what it keeps is laid out: --to <folder>.',
  });
}

async function lastArchive(
  { config }: Context,
  piton: Piton,
  { run, address }: { readonly run: string; readonly address: string },
): Promise<string> {
  const places = await piton.workspaces({ run, task: address, folder: config.root });
  const archived = places.filter(({ ref, kind }) => ref !== undefined && kind !== 'kept');
  // The place itself knows its last archive; others are older, each with the time in its name.
  const newest = archived.find(({ kind }) => kind !== 'archive') ?? archived.sort(byTime).at(-1);
  if (newest?.ref !== undefined) return newest.ref;
  throw new PitonError('ARCHIVE_UNKNOWN', `Nothing of the place of ${address} was archived.`, {
    run,
    task: address,
    remedy: 'Name an archive with --from: see piton workspace list --all.',
  });
}

function byTime(
  { at: one = 0 }: { readonly at?: number },
  { at: other = 0 }: { readonly at?: number },
): number {
  return one - other;
}

function notHeld(task: string, status: string): PitonError {
  return new PitonError('USAGE_INVALID', `${task} is ${status}, not held: its place is not exchanged.`, {
    task,
    remedy: 'Name a folder in which what is kept is laid out: --to <folder>.',
  });
}
