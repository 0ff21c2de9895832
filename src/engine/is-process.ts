import type { TaskSpec } from '../model/index.ts';

/** Done in a process of its own, which outlives its driver. */
export function isProcess({ work }: TaskSpec): boolean {
  return work.type === 'command' || work.type === 'agent' || work.type === 'deliver';
}

/** It is a process, or consists of tasks of its own. */
export function isSeenBySpool(spec: TaskSpec): boolean {
  return isProcess(spec) || spec.work.type === 'workflow';
}
