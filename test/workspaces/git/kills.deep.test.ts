import { describe, expect, test } from 'vitest';
import { others } from '../../support/kill.ts';
import { killGits, killLife } from './life-kills.ts';

describe('the life of a worktree', () => {
  test('killed after each other kind of its effects, it ends as if nothing had happened', async () => {
    expect(await killLife(others(3))).toBeGreaterThan(9);
  });

  test('with its gits killed in the middle, it ends as if nothing had happened', async () => {
    expect(await killGits([3, 8, 18, 23, 33, 38, 43, 48])).toBeGreaterThan(3);
  });
});
