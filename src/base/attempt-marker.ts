import { readFileSync } from 'node:fs';
import { PitonError } from './errors.ts';

/** Begins the name of a variable that every process of an attempt carries in its environment, unless it wipes it. */
export const attemptMarker = 'PITON_MARK_';

type Environment = Readonly<Record<string, string | undefined>>;

/** The attempts that this process runs inside of: a run must not be driven from inside one of its own. */
export function insideOf(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(attemptMarker))
    .map((name) => name.slice(attemptMarker.length));
}

/** More than any process has ancestors; what comes back to itself is ended by it. */
const mostAncestors = 256;

/**
 * Whether this process belongs to an attempt: by its own environment, or where the system shows it cheaply, by that of a
 * process that it descends from. Who wipes its environment and leaves its parents behind is not found.
 */
export function isInsideAttempt(env: Environment, pid: number = process.pid): boolean {
  if (insideOf(env).length > 0) return true;
  if (process.platform !== 'linux') return false;
  let current = pid;
  for (let depth = 0; current >= 1 && depth < mostAncestors; depth++) {
    if (isMarked(current)) return true;
    current = parentOf(current);
  }
  return false;
}

/** An agent must not approve what it has asked for itself, nor deliver what nobody has looked at. Throws `INSIDE_ATTEMPT`. */
export function refuseInside(env: Environment): void {
  if (!isInsideAttempt(env)) return;
  throw new PitonError(
    'INSIDE_ATTEMPT',
    'This is a process of a task, and what it asks for is for a person to decide.',
    { remedy: 'Type it in a terminal of your own.' },
  );
}

function isMarked(pid: number): boolean {
  const settings = read(`/proc/${pid}/environ`);
  return settings.startsWith(attemptMarker) || settings.includes(`\0${attemptMarker}`);
}

function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // The command name may contain spaces and parentheses: fields are counted after its last ')'.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

/** Empty for what is gone, and for what belongs to others. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
