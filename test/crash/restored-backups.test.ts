import { expect, test } from 'vitest';
import { harmOfRestoring } from './restored-backups.ts';

test.for([
  ['chain', false],
  ['agents', true],
] as const)(
  'a run of commands or agents (%s) ends after a restore as if nothing had happened',
  async ([flow, isLost]) => {
    expect(await harmOfRestoring(flow, { parts: [0.6, 0.95], isLost })).toEqual([]);
  },
);
