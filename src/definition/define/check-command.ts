import type { Finding, Path } from '../problems.ts';
import type { CommandDraft, TaskDraft } from '../workflow-draft.ts';
import { checkEnvironment } from './check-environment.ts';
import { irreversibleReason } from './classify-command.ts';

/** What is wrong with a command apart from its expressions. */
export function checkCommand(task: TaskDraft, draft: CommandDraft, at: Path): Finding[] {
  return [
    ...checkRun(draft, [...at, 'run'], 'the task'),
    ...checkShell(draft, [...at, 'shell']),
    ...checkEnvironment(draft, at),
    ...checkInterrupt(task, [...at, 'on-interrupt']),
  ];
}

/** `needless`: what to remove if nothing is to be run. */
export function checkRun({ run }: CommandDraft, at: Path, needless: string): Finding[] {
  const parts = typeof run === 'string' ? [run] : run;
  if (parts.length === 0 || parts[0]!.trim() === '') {
    return [{ at, message: 'There is no command here.', remedy: `Write one, or remove ${needless}.` }];
  }
  const broken = parts.findIndex((part) => part.includes('\0'));
  if (broken < 0) return [];
  const message = 'No program can be given the character NUL.';
  return [{ at: typeof run === 'string' ? at : [...at, broken], message, remedy: 'Take it out.' }];
}

export function checkShell({ shell }: CommandDraft, at: Path): Finding[] {
  if (shell === undefined || /^[\w./+-]+$/.test(shell)) return [];
  const remedy = 'Options belong into the text: `set -u`. Or write `run` as a list: [bash, -u, script.sh].';
  const inCode = {
    remedy:
      "Options belong into the text: `set -u`. Or give the command as a list: `['bash', '-u', 'script.sh']`.",
  };
  return [{ at, message: `\`${shell}\` is not the name or path of a shell.`, remedy, inCode }];
}

function checkInterrupt({ onInterrupt }: TaskDraft, at: Path): Finding[] {
  if (onInterrupt !== 'continue') return [];
  const message = 'A command that was interrupted cannot continue: only agents can.';
  return [{ at, message, remedy: 'Write `restart`, or `ask` if running it twice may do harm.' }];
}

/** That a command is not tried again, though its author asked for it. */
export function suggestInterrupt({ work, retry, onInterrupt, name }: TaskDraft, at: Path): Finding[] {
  if (work.type !== 'command' || onInterrupt !== undefined || (retry?.attempts ?? 1) < 2) return [];
  const reason = irreversibleReason(work.run);
  if (reason === undefined) return [];
  const message = `\`${name}\` will not be tried again by itself: ${reason}.`;
  const remedy = 'Say `on-interrupt: restart` if doing it twice does no harm, else `on-interrupt: ask`.';
  return [{ at: [...at, 'retry'], message, remedy }];
}
