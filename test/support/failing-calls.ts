/** Lets single calls of the file system fail, once each, as a bad disk or a system without resources would. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export interface Failing {
  /** Of the calls that concern a path with this in it. */
  readonly path: string;
  /** Which of them fails, from 0; none if not given. */
  readonly which?: number;
  readonly code?: string;
}

type Callable = (this: unknown, ...given: unknown[]) => unknown;
type Holder = Record<string, Callable>;

const syncNames = ['openSync', 'readFileSync', 'writeFileSync', 'mkdirSync', 'readSync', 'fstatSync'];
const promiseNames = ['open', 'mkdir', 'rename', 'readFile', 'writeFile', 'copyFile', 'stat'];
const handleNames = ['sync', 'datasync', 'writeFile', 'write', 'readFile', 'stat'];

/** Does the work with that call failing; gives the calls that were made, by name. */
export async function failingCalls(
  { path, which, code = 'EIO' }: Failing,
  work: () => Promise<void>,
): Promise<string[]> {
  const calls: string[] = [];
  const paths = new Map<unknown, string>();
  const note = (name: string, place: string): void => {
    calls.push(`${name} ${place.slice(place.lastIndexOf('/') + 1)}`);
    if (calls.length - 1 !== which) return;
    throw Object.assign(new Error(`${code}: injected into ${name}`), { code, syscall: name });
  };
  const pathOf = (given: unknown): string => paths.get(given) ?? (typeof given === 'string' ? given : '');
  const restore: (() => void)[] = [];
  const wrap = (holder: Holder, name: string, placeOf: (self: unknown, given: unknown[]) => string): void => {
    const original = holder[name]!;
    restore.push(() => void (holder[name] = original));
    const isPromise = holder !== (fs as unknown as Holder);
    holder[name] = function (...given) {
      const place = placeOf(this, given);
      const opened = (result: unknown): unknown => {
        if (name.startsWith('open')) paths.set(result, place);
        return result;
      };
      if (!place.includes(path)) return original.apply(this, given);
      if (!isPromise) {
        note(name, place);
        return opened(original.apply(this, given));
      }
      return (async () => {
        note(name, place);
        return opened(await (original.apply(this, given) as Promise<unknown>));
      })();
    };
  };
  const handle = await fs.promises.open('/dev/null');
  const prototype = Object.getPrototypeOf(handle) as Holder;
  await handle.close();
  for (const name of syncNames) wrap(fs as unknown as Holder, name, (_, [first]) => pathOf(first));
  for (const name of promiseNames)
    wrap(fs.promises as unknown as Holder, name, (_, [first]) => pathOf(first));
  for (const name of handleNames) wrap(prototype, name, (self) => pathOf(self));
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const undo of restore) undo();
    syncBuiltinESMExports();
  }
  return calls;
}
