import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { decide, refused } from '../decide.ts';
import type { ExitCode } from '../exit-codes.ts';
import { findTask } from '../find-task.ts';
import { placeGiven, type WorkspaceOptions } from './options.ts';

/** What is to be done with the place of a held task: whoever drives the run does it before the next attempt. */
export async function changePlace(context: Context, given: Invocation<WorkspaceOptions>): Promise<ExitCode> {
  const { args, options } = given;
  const action = args[0] as 'recreate' | 'adopt' | 'discard' | 'restore';
  const { prefix, address } = placeGiven(given);
  const piton = await context.openExisting();
  const { run } = await piton.findRecord(prefix);
  const checkpoint = await (await piton.find(run)).checkpoint();
  const { status } = findTask(checkpoint, address);
  if (status !== 'held') throw refused(run, `${address} is ${status}, not held`);
  const { from } = options;
  const order = { seen: checkpoint.version, ...(from !== undefined && { from }) };
  return decide(context, {
    run,
    send: (handle) => handle.place(address, action, order),
    mayDrive: options.drive,
  });
}
