import { resolve } from 'node:path';
import { PitonError, plural, shellWord } from '../../../base/index.ts';
import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine, whenText } from '../output/index.ts';
import { canAsk, confirm } from '../prompt.ts';
import type { StoreOptions } from './options.ts';

/** `piton store restore [backup]`. */
export async function restoreStore(
  context: Context,
  { args: [, given], options }: Invocation<StoreOptions>,
): Promise<ExitCode> {
  const { output, project, directory } = context;
  const backup = given === undefined ? undefined : resolve(directory, given);
  const wanted = backup ?? (await newestBackup(context));
  output.print(
    `What was kept since is put aside, and the runs go on as they were then: what commands and agents have done since is taken up, what else may have run is held.`,
  );
  if (options.yes !== true && !(await isAgreed(context, wanted))) {
    output.print('Nothing was changed.');
    return exitCodes.done;
  }
  const restored = await project.restoreStore(wanted);
  output.json(restored);
  printRestored(context, restored);
  return exitCodes.done;
}

async function newestBackup({ project, now, output }: Context): Promise<string> {
  const [newest] = await project.backups();
  if (newest === undefined) {
    throw new PitonError('BACKUP_UNUSABLE', 'Piton has made no backup of this store.', {
      remedy: 'Name the file of one: piton store restore <file>.',
    });
  }
  output.print(`The newest backup was made ${whenText(newest.at, now())}: ${cleanLine(newest.file)}`);
  return newest.file;
}

/** Throws `USAGE_INVALID` where nobody can be asked. */
async function isAgreed(context: Context, backup: string): Promise<boolean> {
  if (!context.output.isJson && canAsk(context)) return confirm(context, `Restore ${cleanLine(backup)}?`);
  throw new PitonError('USAGE_INVALID', 'The store would be replaced, and there is no terminal to ask at.', {
    remedy: `Agree to it beforehand: piton store restore ${shellWord(backup)} --yes`,
  });
}

type Restored = Awaited<ReturnType<Context['project']['restoreStore']>>;

function printRestored({ output }: Context, { aside, unchanged, changed, lost }: Restored): void {
  if (aside !== undefined) output.print(`The store as it was until now is kept in ${cleanLine(aside)}.`);
  if (unchanged.length > 0)
    output.print(`${plural(unchanged.length, 'run')} had not changed since the backup.`);
  for (const { run, lastGood, held, takenUp = [] } of changed) {
    const known =
      takenUp.length === 0
        ? ''
        : ` Taken up from what was written outside of the store: ${takenUp.join(', ')}.`;
    const waiting =
      held.length === 0 ? ' Nothing is held.' : ` Held, for you to look at: ${held.join(', ')}.`;
    output.print(cleanLine(`${run} is at ${run}@${lastGood}.${known}${waiting}`));
  }
  for (const run of lost) {
    output.print(`${cleanLine(run)} began after the backup, and is only in what was put aside.`);
  }
  const first = changed.find(({ held }) => held.length > 0);
  output.next(first === undefined ? 'piton resume --all' : 'piton inbox', 'piton list');
}
