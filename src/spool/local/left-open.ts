import { readdirSync, readFileSync } from 'node:fs';

const closedOnExec = 0o2000000;
/** More than anybody uses; the list of what a child gets is as long as the highest of them. */
const highest = 4096;

let found: readonly number[] | undefined;

/**
 * Descriptors that whoever started us has left open, and that children would get as well: Node closes them only up to the first gap.
 * One of a folder would lead a contained process out of its sandbox. They do not change while we live.
 */
export function leftOpen(): readonly number[] {
  return (found ??= look());
}

function look(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && descriptor < highest && isInherited(descriptor));
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closedOnExec) === 0;
  } catch {
    return false;
  }
}
