import { existsSync, readFileSync } from 'node:fs';

/** Of a socket that waits for callers. */
const listening = '00010000';

/**
 * Where programs outside listen in the file system: whoever reaches the one of a container engine, an editor or a terminal has it
 * run programs there, and that a mount is read-only does not keep anybody from calling. Those that begin later are not known.
 */
export function openSockets(list: () => string = readList): string[] {
  const paths = list()
    .split('\n')
    .flatMap((line) => {
      const fields = /^\S+ \S+ \S+ (\S+) \S+ \S+ +\S+ (\/.*)$/.exec(line);
      return fields?.[1] === listening ? [fields[2]!] : [];
    });
  return [...new Set(paths)].filter((path) => existsSync(path));
}

function readList(): string {
  try {
    return readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return '';
  }
}
