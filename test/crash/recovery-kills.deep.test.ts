import { expect, test } from 'vitest';
import type { SamePlaces } from '../support/kill.ts';
import { killRecovery } from './recovery-kills.ts';

function firstAndLast(same: SamePlaces): string[] {
  return [...new Set([same[0]!, same.at(-1)!])];
}

test.for([
  ['retry', 'after:task.delayed#2'],
  ['cycle', 'before:edge.taken#4'],
  ['pause', 'after:run.paused'],
  ['cancel', 'after:cancel.requested'],
] as const)(
  '%s: a run whose recovery is killed at the same place twice over ends as if nothing had happened',
  async ([shape, death]) => {
    expect(await killRecovery({ shape, death, choose: firstAndLast })).toEqual([]);
  },
);
