import { PitonError } from '../../../base/index.ts';
import { bytesText, type WorkspaceReport } from '../../../library/index.ts';
import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { findTask } from '../find-task.ts';
import { commandsFor } from '../next-step.ts';
import { cleanText, whenText } from '../output/index.ts';
import { commandFor } from '../command-for.ts';
import { placeGiven, type WorkspaceOptions } from './options.ts';

/** All about the place of one task, and what is kept of it. */
export async function showPlace(context: Context, given: Invocation<WorkspaceOptions>): Promise<ExitCode> {
  const { output, config } = context;
  const { prefix, address } = placeGiven(given);
  const piton = await context.openExisting();
  const { run } = await piton.findRecord(prefix);
  const task = findTask(await (await piton.find(run)).checkpoint(), address);
  const ofTask = await piton.workspaces({ run, task: address, withSize: true, folder: config.root });
  const place = ofTask.find(({ kind }) => kind !== 'archive' && kind !== 'kept');
  const archives = ofTask.filter(({ kind }) => kind === 'archive');
  const kept = ofTask.filter(({ kind }) => kind === 'kept');
  if (place === undefined && archives.length + kept.length === 0) throw noPlace(run, address);
  output.json({ run, task: address, place, archives, kept });
  if (place !== undefined) printPlace(context, place);
  for (const { ref, at } of archives)
    output.print(`${output.style.dim('archive:')} ${ref}, ${whenText(at ?? 0, context.now())}`);
  for (const { ref, reason } of kept) output.print(`${output.style.dim('kept:')} ${ref}: ${reason}`);
  output.print();
  const [first = nextFor(run, address, place), ...others] = commandsFor(run, address, task);
  output.next(first, ...others);
  return exitCodes.done;
}

function printPlace({ output }: Context, place: WorkspaceReport): void {
  const { dim, bold } = output.style;
  output.print(`${bold(place.task!)}  ${place.kind}, ${place.status}`);
  for (const [name, value] of factsOf(place))
    if (value !== undefined && value !== '') output.print(`${dim(`${name}:`)} ${cleanText(value)}`);
}

function factsOf(place: WorkspaceReport): [name: string, value: string | undefined][] {
  const { path = '', remote, ports, bytes, health } = place;
  return [
    ['why', place.reason],
    ['health', health === 'unknown' ? undefined : health],
    ['folder', remote === undefined ? path : `${remote}:${path}`],
    ['branch', place.branch?.replace('refs/heads/', '')],
    ['began from', place.base],
    ['last saved as', place.snapshot],
    ['result', place.result],
    ['archive', place.ref],
    ['in use by attempt', place.owner],
    ['place of the pool', place.slot?.toString()],
    ['ports', ports && `${ports.first} to ${ports.first + ports.count - 1}`],
    ['takes', bytes === undefined ? undefined : bytesText(bytes)],
  ];
}

function nextFor(run: string, address: string, place: WorkspaceReport | undefined): string {
  if (place === undefined || place.status === 'archived')
    return `${commandFor('workspace restore', run, address)} --to <folder>`;
  return place.status === 'in use' ? commandFor('logs', run, address) : commandFor('show', run, address);
}

function noPlace(run: string, task: string): PitonError {
  return new PitonError('PLACE_MISSING', `${task} has no place of its own.`, {
    run,
    task,
    remedy: 'It works in the folder of the run, or has not begun: see piton workspace list.',
  });
}
