import { extname } from 'node:path';

/** A module to be run as a worker: `.ts` beside our sources, `.js` beside what was built from them. */
export function workerFile(name: string): URL {
  return new URL(`./${name}${extname(new URL(import.meta.url).pathname)}`, import.meta.url);
}
