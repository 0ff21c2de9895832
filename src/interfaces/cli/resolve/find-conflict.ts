import { existsSync } from 'node:fs';
import { PitonError } from '../../../base/index.ts';
import type { Run, TaskView } from '../../../library/index.ts';
import { findTask } from '../find-task.ts';
import { commandFor } from '../command-for.ts';

/** Work that conflicts with that of others, and where both sides are laid out. */
export interface Conflict {
  readonly run: string;
  readonly task: string;
  readonly folder: string;
  readonly files: readonly string[];
  /** The version of the run in which it was found. */
  readonly seen: number;
}

/** Throws `TASK_UNKNOWN`, `COMMAND_REFUSED` (nobody has to resolve anything there), `FOLDER_MISSING`. */
export async function findConflict(run: Run, address: string): Promise<Conflict> {
  const checkpoint = await run.checkpoint();
  const task = findTask(checkpoint, address);
  const folder = task.workspace?.path;
  if (task.status !== 'held' || task.isConflicting !== true || folder === undefined)
    throw nothingToResolve(run.id, address, task);
  if (!existsSync(folder)) throw folderMissing(run.id, address, folder);
  const { seq, version: seen } = checkpoint;
  return { run: run.id, task: address, folder, files: await filesOf(run, address, seq), seen };
}

/** As they were found last. */
async function filesOf(run: Run, address: string, seq: number): Promise<readonly string[]> {
  let files: readonly string[] = [];
  for await (const event of run.history({ upTo: seq }))
    if (event.type === 'conflict.found' && event.task === address) files = event.data.files;
  return files;
}

function nothingToResolve(run: string, task: string, { status, reason }: TaskView): PitonError {
  const why = reason === undefined ? '' : ` (${reason})`;
  return new PitonError(
    'COMMAND_REFUSED',
    `${task} has no conflict to resolve: its status is ${status}${why}.`,
    {
      run,
      task,
      remedy: `See how it stands: ${commandFor('show', run, task)}.`,
    },
  );
}

function folderMissing(run: string, task: string, folder: string): PitonError {
  return new PitonError(
    'FOLDER_MISSING',
    `The folder in which the conflict was laid out is gone: ${folder}.`,
    {
      run,
      task,
      folder,
      remedy: `Have it laid out again: ${commandFor('retry', run, task)}.`,
    },
  );
}
