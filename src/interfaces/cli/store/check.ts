import { resolve } from 'node:path';
import { PitonError, plural } from '../../../base/index.ts';
import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';
import type { StoreOptions } from './options.ts';

/** `piton store check [file]`. */
export async function checkStore(
  { output, project, config, directory }: Context,
  { args: [, given] }: Invocation<StoreOptions>,
): Promise<ExitCode> {
  if (given === undefined && !project.hasStore()) project.assertProject();
  const file = given === undefined ? config.storeFile : resolve(directory, given);
  if (file === undefined) throw inNoFile(config.store);
  const damages = await project.checkStoreFile(file);
  output.json({ file, ok: damages.length === 0, damages });
  for (const damage of damages) output.print(cleanLine(damage));
  const [newest] = await project.backups();
  if (damages.length === 0) {
    output.print(`${cleanLine(file)} is sound.`);
    output.next(given === undefined ? 'piton verify' : `piton store info`);
    return exitCodes.done;
  }
  output.print(`${cleanLine(file)} is damaged in ${plural(damages.length, 'place')}.`);
  if (given !== undefined) output.next('piton store info');
  else output.next('piton verify', ...(newest === undefined ? [] : ['piton store restore']));
  return exitCodes.refused;
}

function inNoFile(store: string): PitonError {
  return new PitonError('STORE_UNSUPPORTED', `The store ${store} is not kept in a file.`, {
    remedy: 'Name the file of a store: piton store check <file>.',
  });
}
