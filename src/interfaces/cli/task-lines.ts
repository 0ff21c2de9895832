import type { Json } from '../../base/index.ts';
import type { TaskReport } from '../../library/index.ts';
import { cleanLine, cutTo, whenText } from './output/index.ts';

const longestOutput = 200;

/** The one thing worth saying about a task in a list: why it is where it is, or what it gave. */
export function describeTask(task: TaskReport, now: number): string {
  const { error, reason, until, output } = task;
  if (error !== undefined) return cleanLine(`${error.code}: ${error.message}`);
  if (until !== undefined) return cleanLine(`${whenText(until, now)}: ${reason ?? ''}`);
  if (reason !== undefined) return cleanLine(reason);
  return output === undefined ? '' : jsonLine(output);
}

/** A value as one short line; text as it is. */
export function jsonLine(value: Json): string {
  return cutTo(cleanLine(typeof value === 'string' ? value : JSON.stringify(value)), longestOutput);
}
