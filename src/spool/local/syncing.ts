import { constants } from 'node:fs';
import { copyFile, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crashPoint, randomId } from '../../base/index.ts';
import { files, isAbsence } from '../layout.ts';
import { syncAll } from './prepare.ts';

/** What an attempt writes itself. */
const written = [files.stdout, files.stderr, files.result, files.ownResult, files.exit];

/**
 * Makes what attempts have written outlast a power failure. Whether a sync that failed has lost something, nobody can tell:
 * a second one of the same file may succeed all the same. So the file is written anew then, synced and read back.
 */
export class Syncing {
  /** Files whose sync has failed. */
  readonly #doubtful = new Set<string>();

  /** `exit`: the exit record, as it was read. */
  async sync(folder: string, exit: string | undefined): Promise<void> {
    for (const name of written)
      await this.#syncOne(join(folder, name), name === files.exit ? exit : undefined);
    await syncAll([folder]);
  }

  async #syncOne(file: string, content: string | undefined): Promise<void> {
    if (!this.#doubtful.has(file)) {
      try {
        return await syncAll([file]);
      } catch {
        this.#doubtful.add(file);
      }
    }
    await writeAnew(file, content);
    this.#doubtful.delete(file);
  }
}

async function writeAnew(file: string, content: string | undefined): Promise<void> {
  const anew = `${file}.${randomId()}`;
  try {
    if (content === undefined) await copyFile(file, anew, constants.COPYFILE_EXCL);
    else await writeFile(anew, content, { flag: 'wx', mode: 0o600 });
    await syncAll([anew]);
    if (!(await isAsWritten(anew, file, content))) throw new Error(`${anew} is not what was written`);
    crashPoint('spool:before-written-anew');
    await rename(anew, file);
  } catch (error) {
    await rm(anew, { force: true }).catch(() => {});
    if (!isAbsence(error)) throw error;
  }
}

async function isAsWritten(anew: string, file: string, content: string | undefined): Promise<boolean> {
  if (content !== undefined) return (await readFile(anew, 'utf8')) === content;
  const [{ size }, { size: wanted }] = await Promise.all([stat(anew), stat(file)]);
  return size === wanted;
}
