import { randomId } from '../../src/base/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { storeContract } from '../contracts/store.ts';

storeContract(
  'memory',
  ({ clock }) => {
    const name = randomId();
    const open = (url: string) => openMemoryStore(url, { durability: 'full', clock });
    return {
      open: () => open(`memory:${name}`),
      openSilent: () => open(`memory:${name}?heartbeat=off`),
    };
  },
  {
    backup: 'it ends with the process, so there is nothing a copy could outlive',
    damage: 'nothing but the store itself can get at its memory',
  },
);
