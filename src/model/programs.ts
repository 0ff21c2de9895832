import type { Work } from './workflow.ts';

/** Work that is done by a program in a place: a command or an agent. */
export function isProgram<Some extends { readonly type: string }>(
  work: Some,
): work is Extract<Some, { readonly type: 'command' | 'agent' }> {
  return work.type === 'command' || work.type === 'agent';
}

/** Work in a process of its own, which outlives its driver. */
export function isProcess(work: Pick<Work, 'type'>): boolean {
  return isProgram(work) || work.type === 'deliver';
}

/** It is such a process, or consists of tasks that may be. */
export function isSeenBySpool(work: Pick<Work, 'type'>): boolean {
  return isProcess(work) || work.type === 'workflow';
}
