import { expect, test } from 'vitest';
import { harmDoneIn, merges, pool } from './place-kills.ts';

test.each([
  ['merged, checked, held for a conflict and solved', merges],
  ['set up once, taken over, archived and removed', pool],
])(
  'work in worktrees is %s as if nothing had happened, with drivers killed after all other effects on git',
  async (_, scene) => {
    expect(await harmDoneIn(scene, 'others')).toEqual([]);
  },
);
