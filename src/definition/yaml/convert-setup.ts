import { isReported, type Finding, type Path } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';
import type { Conversion } from './conversion.ts';
import { isLaterMode } from './later-keys.ts';
import { toList } from './convert-settings.ts';
import { renameInRun } from './rename-in-values.ts';
import type { Entry } from './task-keys.ts';

/** One that comes with a later version has been reported. */
export function toWorkspace(mode: Entry['workspace']): TaskDraft['workspace'] {
  return mode === undefined || isLaterMode(mode) ? undefined : { mode };
}

/** What its command leaves out is what the task has. */
export function convertSetup(
  { setup = false, shell }: Entry,
  { at, around }: { at: Path; around: Conversion },
): TaskDraft['setup'] {
  // A wrong key has been taken out of it: what is left is not what was meant.
  if (setup === false || isWrong(at, around.findings)) return undefined;
  const { run, copy } = typeof setup === 'string' ? { run: setup, copy: undefined } : setup;
  return {
    copy: toList(copy),
    work: run === undefined ? undefined : { type: 'command', run: renameInRun(run, around.variables), shell },
  };
}

/** Its own, or one that it has from the file. */
function isWrong(at: Path, findings: readonly Finding[]): boolean {
  return [at, ['defaults'], []].some((place) => isReported([...place, 'setup'], findings));
}
