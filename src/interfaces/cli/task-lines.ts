import { untestedText } from '../../project/index.ts';
import { plural, type Json } from '../../base/index.ts';
import type { TaskView } from '../../library/index.ts';
import { callText } from '../../model/index.ts';
import { cleanLine, cutTo, reasonLine, whenText } from './output/index.ts';
import { waitingText } from './show/waiting-text.ts';

const longestOutput = 200;

/** The one thing worth saying about a task in a list: why it is where it is, or what it gave. `silence`: of an agent at work, in words. */
export function describeTask(task: TaskView, now: number, silence = ''): string {
  const about = [silence, ...notesOf(task), standingOf(task, now), limitOf(task), ...versionNote(task.cli)];
  return about.filter((text) => text !== '').join(' · ');
}

function standingOf({ error, reason, until, output, call }: TaskView, now: number): string {
  if (error !== undefined) return reasonLine(`${error.code}: ${error.message}`);
  if (until !== undefined)
    return cleanLine(`${until <= now ? 'due now' : whenText(until, now)}: ${reason ?? ''}`);
  if (call !== undefined) return `asks for ${callText(call.tool, call.input)}`;
  if (reason !== undefined) return reasonLine(reason);
  return output === undefined ? '' : jsonLine(output);
}

/** Of one that could start: what it needs, and that the run is paused, can be seen without. */
function limitOf({ status, waiting }: TaskView): string {
  const text = status === 'queued' && waiting?.for !== 'resume' ? waiting && waitingText(waiting) : undefined;
  return text === undefined ? '' : cleanLine(`waits for ${text}`);
}

/** Items and inner tasks behind what they belong to, else in the same order. */
export function underParents<Task>(tasks: readonly (readonly [string, Task])[]): (readonly [string, Task])[] {
  const ordered: (readonly [string, Task])[] = [];
  for (const task of tasks) {
    const parent = ordered.findLast(([other]) => isBelow(task[0], other));
    const last = parent && ordered.findLastIndex((other) => other === parent || isBelow(other[0], parent[0]));
    ordered.splice(last === undefined ? ordered.length : last + 1, 0, task);
  }
  return ordered;
}

function isBelow(address: string, parent: string): boolean {
  return address.startsWith(`${parent}[`) || address.startsWith(`${parent}.`);
}

/** `attempt 2, 1 revision`. */
export function attemptText({ attempts, revisions = 0 }: Pick<TaskView, 'attempts' | 'revisions'>): string {
  const parts = [
    ...(attempts > 1 ? [`attempt ${attempts}`] : []),
    ...(revisions > 0 ? [plural(revisions, 'revision')] : []),
  ];
  return parts.join(', ');
}

export function isOpen(status: TaskView['status']): boolean {
  return !['succeeded', 'failed', 'skipped', 'cancelled'].includes(status);
}

/** Its work is done, and is being brought to that of the others. */
export function isIntegrating(stage: TaskView['stage']): boolean {
  return stage === 'integrate' || stage === 'verify';
}

/** What people want to know of an agent at work. */
function notesOf({ status, stage, messages = [] }: TaskView): string[] {
  return [
    ...(isOpen(status) && status !== 'held' && stage === 'check' ? ['is checked'] : []),
    ...(status === 'running' && isIntegrating(stage) ? ['is brought to the work of others'] : []),
    ...(messages.length === 0
      ? []
      : [`${messages.length === 1 ? '1 message' : `${messages.length} messages`} not heard yet`]),
  ];
}

function versionNote(cli: TaskView['cli']): string[] {
  const text = cli && untestedText(cli.agent, cli.version);
  return text === undefined ? [] : [cleanLine(text)];
}

export function timesText(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** A value as one short line; text as it is. */
export function jsonLine(value: Json): string {
  return cutTo(cleanLine(typeof value === 'string' ? value : JSON.stringify(value)), longestOutput);
}
