import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makePrivateFolder, ownIdentity, PitonError, processClockMs, systemClock } from '../../base/index.ts';
import { blankExit, blankTimedOut, blankWrapper, codeOf, files, type Origin } from '../layout.ts';
import { isContained, type SpoolOrder, type WrittenOrder } from '../order.ts';

type OwnedOrder = SpoolOrder & Pick<WrittenOrder, 'store' | 'head'>;

/** `attempt.json` comes last: without it the folder is not prepared, and nothing may start in it. */
export async function prepareFolder(folder: string, order: OwnedOrder, isSynced: boolean): Promise<void> {
  makePrivateFolder(dirname(folder));
  await makeFolder(folder, order);
  // In one folder: none of its files is the process's to change, if it is contained.
  if (isContained(order)) await mkdir(join(folder, files.temporary), { recursive: true, mode: 0o700 });
  const contents = {
    [files.stdout]: '',
    [files.stderr]: '',
    [files.exit]: blankExit(order.attempt),
    [files.wrapper]: blankWrapper,
    [files.timedOut]: blankTimedOut,
    ...order.files,
    ...(order.input !== undefined && { [files.input]: order.input }),
    [files.order]: description(order),
  };
  for (const [name, content] of Object.entries(contents)) {
    await writeNew(join(folder, name), content, isSynced && content !== '');
  }
  if (isSynced) await syncAll([folder, dirname(folder)]);
}

async function makeFolder(folder: string, order: SpoolOrder): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause;
    throw new PitonError('SPOOL_EXISTS', `The spool has a folder of attempt ${order.attempt} already.`, {
      folder,
      attempt: order.attempt,
      cause,
      remedy: 'An attempt is prepared once; a new one needs a new id.',
    });
  }
}

/** Everything but the environment, which holds secrets, and what is beside it already. */
function description({ env: _, input: _input, files: _files, ...order }: OwnedOrder): string {
  const { host, bootId, pidNamespace } = ownIdentity();
  const origin: Origin = { host, bootId, pidNamespace, bornMs: processClockMs() };
  return `${JSON.stringify({ ...order, origin, createdAt: new Date(systemClock.now()).toISOString() }, null, 2)}\n`;
}

async function writeNew(file: string, content: string, isSynced: boolean): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    if (isSynced) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Opening must not wait, whatever a command has put in the place of a file. */
const readAtOnce = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Paths that are not there are passed over, and so is what cannot be synced, such as pipes and devices. */
export async function syncAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const handle = await open(path, readAtOnce).catch((error: unknown) => {
      if (!['ENOENT', 'ELOOP'].includes(codeOf(error))) throw error;
    });
    if (handle === undefined) continue;
    try {
      const stat = await handle.stat();
      if (stat.isFile() || stat.isDirectory()) await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
