import { expect, test } from 'vitest';
import type { SamePoints } from '../support/kill.ts';
import { killRecovery } from './recovery-kills.ts';

function firstAndLast(same: SamePoints): string[] {
  return [...new Set([same[0]!, same.at(-1)!])];
}

test.for([
  ['retry', 'after:task.delayed#2', 6],
  ['cycle', 'before:edge.taken#4', 6],
  ['pause', 'after:run.paused', 6],
  // After its recovery it has ended, and nobody would be there to be killed again.
  ['cancel', 'after:cancel.requested', 5],
] as const)(
  '%s: a run whose recovery is killed at the same place twice over ends as if nothing had happened',
  async ([shape, death, places]) => {
    expect(await killRecovery({ shape, death, places, choose: firstAndLast })).toEqual([]);
  },
);
