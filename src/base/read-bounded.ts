import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** More than anybody writes by hand, and less than fills a memory. */
const mostBytes = 32 * 1024 * 1024;

/**
 * A file that comes with a repository, where a link may lead to a device or a pipe: one never ends, and the other is waited for.
 * Throws what the system says, or an error that says what it is instead.
 */
export function readBounded(file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() && !found.isDirectory()) throw new Error('it is a device or a pipe, not a file');
    if (found.size > mostBytes) throw new Error(`it is larger than ${mostBytes / 1024 / 1024} MiB`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
