import { afterEach, beforeEach, describe, test } from 'vitest';
import { randomId } from '../../src/base/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { testStore } from '../../src/testing/index.ts';

testStore(
  { describe, test, beforeEach, afterEach },
  {
    name: 'memory',
    prepare: ({ clock }) => {
      const name = randomId();
      const open = (url: string) => openMemoryStore(url, { durability: 'full', clock });
      return {
        open: () => open(`memory:${name}`),
        openSilent: () => open(`memory:${name}?heartbeat=off`),
      };
    },
    cannot: {
      backup: 'it ends with the process, so there is nothing a copy could outlive',
      damage: 'nothing but the store itself can get at its memory',
    },
  },
);
