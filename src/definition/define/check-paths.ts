import { hasExpression } from '../expressions/templates.ts';
import type { Finding, Path } from '../problems.ts';

/** What is done with files or folders that a workflow names, in words. */
export interface PathUse {
  /** "A path to … cannot hold". */
  readonly verb: string;
  /** "cannot be …". */
  readonly done: string;
  /** What else could be done where a path cannot be known beforehand. */
  readonly instead: string;
  readonly example: string;
}

export const copying: PathUse = {
  verb: 'copy',
  done: 'copied',
  instead: ', or copy them by a command',
  example: '`.env` or `config/local.json`',
};
export const sharing: PathUse = {
  verb: 'share',
  done: 'shared',
  instead: '',
  example: '`.cache` or `.turbo`',
};
export const keeping: PathUse = {
  verb: 'keep',
  done: 'kept',
  instead: '',
  example: '`dist` or `build/app.js`',
};

/** Paths in the folder of the run, each of which is also one in the place of a task. */
export function checkPaths(paths: readonly string[], use: PathUse, at: Path): Finding[] {
  return paths.flatMap((path, index) => {
    const fault = faultOf(path, use) ?? (paths.indexOf(path) < index ? twice(path) : undefined);
    return fault === undefined ? [] : [{ at: [...at, index], ...fault }];
  });
}

/** The folder that a place is a copy of: here the folder of the run itself may be named too. */
export function checkCopiedFolder(path: string, at: Path): Finding[] {
  if (path.startsWith('.') && stepsOf(path).length === 0) return [];
  const fault = faultOf(path, { ...copying, instead: '', example: '`.` or `site`' });
  return fault === undefined ? [] : [{ at, ...fault }];
}

type Fault = Pick<Finding, 'message' | 'remedy'>;

function faultOf(path: string, use: PathUse): Fault | undefined {
  const { verb, done, instead } = use;
  const inFolder = `Give a path in the folder of the run, such as ${use.example}.`;
  if (path.trim() === '') return { message: 'There is no path here.', remedy: inFolder };
  if (path.includes('\0')) return { message: 'No path can hold the character NUL.', remedy: 'Take it out.' };
  const named = `Name each file or folder${instead}.`;
  if (hasExpression(path)) return { message: `A path to ${verb} cannot hold \`\${{ }}\`.`, remedy: named };
  if (/[*?]/.test(path))
    return { message: `\`${path}\` is a pattern, and patterns cannot be ${done} yet.`, remedy: named };
  return isOutside(path)
    ? { message: `\`${path}\` is not in the folder of the run.`, remedy: inFolder }
    : faultOfPlace(path, use);
}

function isOutside(path: string): boolean {
  return /^([/\\~]|[A-Za-z]:)/.test(path) || stepsOf(path).includes('..');
}

function faultOfPlace(path: string, { done }: PathUse): Fault | undefined {
  const steps = stepsOf(path);
  if (steps.length === 0)
    return { message: `\`${path}\` is the folder of the run itself.`, remedy: `Name what is to be ${done}.` };
  // A worktree has its own; and what Piton keeps holds all worktrees.
  if (steps.includes('.git') || steps.join('/') === '.piton')
    return { message: `\`${path}\` cannot be ${done}: worktrees depend on it.`, remedy: 'Take it out.' };
  return undefined;
}

function stepsOf(path: string): string[] {
  return path.split(/[/\\]/).filter((step) => step !== '' && step !== '.');
}

function twice(path: string): Fault {
  return { message: `\`${path}\` is named twice.` };
}
