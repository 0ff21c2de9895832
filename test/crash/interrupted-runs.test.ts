import { expect, test } from 'vitest';
import { endsOf, some } from './interrupted-runs.ts';

test.for(some)('a run of an earlier version, %s, goes on where it stood', async (name) => {
  const { now, was } = await endsOf(name);
  expect(now).toBe(was);
});
