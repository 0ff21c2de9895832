import { expect, test } from 'vitest';
import { killNested } from './nested-kills.ts';

test('killed at every other effect on what lies in a worktree, and done again, it ends as if nothing had happened', async () => {
  expect(await killNested('others')).toBeGreaterThan(10);
});
