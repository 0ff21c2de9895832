import { isReported, type Finding, type Path } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';
import type { Conversion } from './conversion.ts';
import { toList } from './convert-settings.ts';
import { renameInRun } from './rename-in-values.ts';
import type { Entry } from './task-keys.ts';

interface Place {
  readonly at: Path;
  readonly around: Conversion;
}

type PlaceDraft = Pick<
  TaskDraft,
  'workspace' | 'setup' | 'onConflict' | 'sandbox' | 'network' | 'pool' | 'artifacts'
>;

/** Where a task works, and what becomes of what it leaves there. */
export function convertPlace(task: Entry, { at, around }: Place): PlaceDraft {
  return {
    workspace: toWorkspace(task.workspace, at, around.findings),
    setup: convertSetup(task, { at, around }),
    onConflict: task['on-conflict'],
    sandbox: task.sandbox,
    network: task.network,
    pool: task.pool,
    artifacts: toList(task.artifacts),
  };
}

/** `at`: of the task, or of the file. */
export function toWorkspace(
  workspace: Entry['workspace'],
  at: Path,
  findings: Finding[],
): TaskDraft['workspace'] {
  if (workspace === undefined || isWrong('workspace', at, findings)) return undefined;
  if (typeof workspace === 'string') return { mode: workspace };
  const { copy, remote } = workspace;
  if ((copy === undefined) === (remote === undefined)) {
    const message = 'A workspace is either a `copy` of a folder, or `remote`, on a machine.';
    const remedy = 'Write `{ copy: <folder> }` or `{ remote: <machine> }`.';
    findings.push({ at: [...at, 'workspace'], message, remedy });
    return undefined;
  }
  return remote === undefined ? { mode: 'directory', copyOf: copy! } : { mode: 'remote', remote };
}

type SetupEntry = Extract<Entry['setup'], object>;

/** What its command leaves out is what the task has. */
function convertSetup({ setup = false, shell }: Entry, { at, around }: Place): TaskDraft['setup'] {
  if (setup === false || isWrong('setup', at, around.findings)) return undefined;
  const { run, copy, ports, caches }: SetupEntry = typeof setup === 'string' ? { run: setup } : setup;
  return {
    copy: toList(copy),
    ports,
    caches: toList(caches),
    work: run === undefined ? undefined : { type: 'command', run: renameInRun(run, around.variables), shell },
  };
}

/** Its own, or one that it has from the file: a wrong key has been taken out of it, and what is left is not what was meant. */
function isWrong(key: 'setup' | 'workspace', at: Path, findings: readonly Finding[]): boolean {
  return [at, ['defaults'], []].some((place) => isReported([...place, key], findings));
}
