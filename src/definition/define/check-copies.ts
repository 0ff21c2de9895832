import { hasExpression } from '../expressions/templates.ts';
import type { Finding, Path } from '../problems.ts';

/** Paths that a setup copies from the folder of the run to the same place in a worktree. */
export function checkCopies(copy: readonly string[], at: Path): Finding[] {
  return copy.flatMap((path, index) => {
    const fault = faultOf(path) ?? (copy.indexOf(path) < index ? twice(path) : undefined);
    return fault === undefined ? [] : [{ at: [...at, index], ...fault }];
  });
}

type Fault = Pick<Finding, 'message' | 'remedy'>;

const inFolder = 'Give a path in the folder of the run, such as `.env` or `config/local.json`.';

function faultOf(path: string): Fault | undefined {
  if (path.trim() === '') return { message: 'There is no path here.', remedy: inFolder };
  if (path.includes('\0')) return { message: 'No path can hold the character NUL.', remedy: 'Take it out.' };
  if (hasExpression(path))
    return { message: 'A path to copy cannot hold `${{ }}`.', remedy: 'Copy it by a command, in `run`.' };
  if (/[*?]/.test(path))
    return {
      message: `\`${path}\` is a pattern, and patterns cannot be copied yet.`,
      remedy: 'Name each file or folder, or copy them by a command, in `run`.',
    };
  return faultOfPlace(path);
}

function faultOfPlace(path: string): Fault | undefined {
  const steps = path.split(/[/\\]/).filter((step) => step !== '' && step !== '.');
  if (/^([/\\~]|[A-Za-z]:)/.test(path) || steps.includes('..'))
    return { message: `\`${path}\` is not in the folder of the run.`, remedy: inFolder };
  if (steps.length === 0)
    return { message: `\`${path}\` is the folder of the run itself.`, remedy: 'Name what is to be copied.' };
  // A worktree has its own; and what Piton keeps holds all worktrees.
  if (steps.includes('.git') || steps.join('/') === '.piton')
    return { message: `\`${path}\` cannot be copied: worktrees depend on it.`, remedy: 'Take it out.' };
  return undefined;
}

function twice(path: string): Fault {
  return { message: `\`${path}\` is named twice.` };
}
