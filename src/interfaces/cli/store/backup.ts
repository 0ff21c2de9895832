import { resolve } from 'node:path';
import { shellWord } from '../../../base/index.ts';
import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';
import type { StoreOptions } from './options.ts';

/** `piton store backup [file]`. */
export async function backUpStore(
  context: Context,
  { args: [, given] }: Invocation<StoreOptions>,
): Promise<ExitCode> {
  const { output, directory } = context;
  const piton = await context.openExisting();
  const file = await piton.backup(given === undefined ? undefined : resolve(directory, given));
  output.json({ file });
  output.print(`The store was backed up to ${cleanLine(file)}.`);
  output.next(`piton store check ${shellWord(file)}`);
  return exitCodes.done;
}
