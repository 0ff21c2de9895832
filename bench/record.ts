import { open, openSqliteStore, systemClock, type Piton, type Store } from './library.ts';
import type { Group } from './floor.ts';
import type { Durability } from './settings.ts';

/** Runs a load once, not timed, and gives the texts of its commits as its transactions grouped them. */
export async function recordGroups(
  file: string,
  durability: Durability,
  run: (piton: Piton) => Promise<void>,
): Promise<readonly Group[]> {
  const groups: string[][] = [];
  const seam = {
    commit(statement: { run(): unknown }) {
      statement.run();
      groups.push([]);
    },
  };
  const store = await openSqliteStore(`sqlite:${file}`, { durability, clock: systemClock }, seam);
  await using piton = await open({ store: recording(store, (texts) => groups.at(-1)!.push(...texts)) });
  await run(piton);
  return groups.filter((group) => group.length > 0);
}

/** Tells of every commit when it is durable, which is before the next transaction begins. A blob is stored once. */
function recording(store: Store, committed: (texts: readonly string[]) => void): Store {
  const stored = new Set<string>();
  const tell = async <T>(
    { commit, blobs }: Pick<Parameters<Store['append']>[0], 'commit' | 'blobs'>,
    written: Promise<T>,
  ): Promise<T> => {
    const value = await written;
    const fresh = blobs.filter(({ hash }) => !stored.has(hash));
    for (const { hash } of fresh) stored.add(hash);
    committed([...fresh.map(({ text }) => text), commit.body]);
    return value;
  };
  const overrides: Partial<Store> = {
    createRun: (request) => tell(request, store.createRun(request)),
    append: (request) => tell(request, store.append(request)),
  };
  return new Proxy(store, {
    get(target, key: keyof Store) {
      const member: unknown = overrides[key] ?? target[key];
      return typeof member === 'function' ? (member as (...args: unknown[]) => unknown).bind(target) : member;
    },
  });
}
