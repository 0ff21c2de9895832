import { statSync } from 'node:fs';
import { asError } from '../base/index.ts';
import { readText } from './config-file.ts';
import type { Config } from './config.ts';

/** Two looks at the file system: cheap enough to be made for as long as a driver lives. */
const everyMs = 2_000;

/** Calls back with a file whose text is not any more what was read of it: once for each. Returns the way to stop. */
export function watchConfig(
  { files, text, userText, isProject }: Pick<Config, 'files' | 'text' | 'userText' | 'isProject'>,
  changed: (file: string) => void,
  intervalMs = everyMs,
): () => void {
  const watched = new Map([
    [files.user, { read: userText, seen: '' }],
    ...(isProject ? [[files.project, { read: text, seen: '' }] as const] : []),
  ]);
  const look = (): void => {
    for (const [file, { read, seen }] of watched) {
      const now = lookOf(file);
      if (now === seen) continue;
      watched.set(file, { read, seen: now });
      if (textOf(file) === read) continue;
      watched.delete(file);
      changed(file);
    }
  };
  const timer = setInterval(look, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

function lookOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found === undefined ? 'none' : `${found.mtimeMs} ${found.size} ${found.ino}`;
  } catch (error) {
    return asError(error).message;
  }
}

/** What cannot be read any more is not as it was. */
function textOf(file: string): string | undefined {
  try {
    return readText(file);
  } catch (error) {
    return asError(error).message;
  }
}
