import { expect, test } from 'vitest';
import { fixtureNames } from '../support/interrupted/fixture.ts';
import { endsOf, some } from './interrupted-runs.ts';

const others = fixtureNames().filter((name) => !some.includes(name));

test.for(others)('a run of an earlier version, %s, goes on where it stood', async (name) => {
  const { now, was } = await endsOf(name);
  expect(now).toBe(was);
});
