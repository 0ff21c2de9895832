import { expect, test } from 'vitest';
import { flowNames } from './lost-log.ts';
import { harmOfRestoring } from './restored-backups.ts';

test.for(flowNames.flatMap((flow) => [[flow, false] as const, [flow, true] as const]))(
  'a run of the workflow %s, brought back from backups of every age (store lost: %s), ends as if nothing had happened',
  async ([flow, isLost]) => {
    expect(await harmOfRestoring(flow, { parts: [0.4, 0.6, 0.75, 0.9, 0.98], isLost })).toEqual([]);
  },
);
