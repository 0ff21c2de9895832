import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { asError, livenessOf, systemClock } from '../../base/index.ts';
import type { Compacted, CompactOptions } from '../contract.ts';
import type { ConnectionSettings } from './connection.ts';
import type { Change } from './group-commit.ts';
import { toOwner } from './lease-owner.ts';
import { text } from './rows.ts';
import type { Statements } from './statements.ts';
import { vacuumStore } from './upkeep.ts';

/** How the store lets itself be read and written. */
export interface CompactPorts {
  readonly settings: ConnectionSettings;
  read<T>(look: (statements: Statements) => T): Promise<T>;
  write<T>(change: Change<T>): Promise<T>;
}

/**
 * A file whose free pages are known by where they are used (`auto_vacuum`) is made shorter a few pages at a time, each time in a
 * transaction of its own. One that an earlier version has made is made anew as a whole, once.
 */
export async function compact(ports: CompactPorts, options: CompactOptions): Promise<Compacted> {
  const before = await ports.read(spaceIn);
  if (before.freeBytes === 0) return before;
  if (before.isIncremental) return freeInSteps(ports, options);
  const reason = options.whole ? await makeAnew(ports, before) : earlierForm;
  const { bytes, freeBytes } = await ports.read(spaceIn);
  return { bytes, freeBytes, ...(reason !== undefined && { reason }) };
}

const earlierForm =
  'an earlier version has made the file; piton store prune makes it smaller while nobody drives a run';

async function freeInSteps(ports: CompactPorts, { signal }: CompactOptions): Promise<Compacted> {
  let reason: string | undefined;
  try {
    while (signal?.aborted !== true && (await ports.read(freePagesIn)) > 0)
      await ports.write({ apply: (statements) => void statements.freePages.all() });
    // The file is cut off when the log is copied into it. Whoever reads may hinder that: then the next who copies it does it.
    await ports.read((statements) => void statements.checkpoint.get());
  } catch (thrown) {
    reason = asError(thrown).message;
  }
  const { bytes, freeBytes } = await ports.read(spaceIn);
  return { bytes, freeBytes, ...(reason !== undefined && { reason }) };
}

interface Space extends Compacted {
  readonly isIncremental: boolean;
}

function spaceIn(statements: Statements): Space {
  const pageSize = Number(statements.pageSize.get()?.['page_size']);
  return {
    bytes: Number(statements.pageCount.get()?.['page_count']) * pageSize,
    freeBytes: freePagesIn(statements) * pageSize,
    isIncremental: Number(statements.autoVacuum.get()?.['auto_vacuum']) === 2,
  };
}

function freePagesIn(statements: Statements): number {
  return Number(statements.freePageCount.get()?.['freelist_count']);
}

/** Longer than this would keep those waiting who begin meanwhile, until they give up. */
const mostBytes = 500_000_000;

/** The reason why it was not done. Whoever writes meanwhile would wait for all of it: nobody may be at work. */
async function makeAnew({ settings, read }: CompactPorts, before: Space): Promise<string | undefined> {
  const used = before.bytes - before.freeBytes;
  const living = await read(findLiving);
  if (living !== undefined) return `process ${living} works on the store; try again when it has ended`;
  if (used > mostBytes) return 'what is left is too much to be copied while others wait; new runs use it';
  // Once into a file of its own, once into the log.
  const { bavail, bsize } = statfsSync(dirname(settings.file));
  if (bavail * bsize < 2 * used) return `${2 * used} bytes have to be free on its disk for that`;
  try {
    await vacuumStore(settings);
    await read((statements) => void statements.checkpoint.get());
    return undefined;
  } catch (thrown) {
    return asError(thrown).message;
  }
}

function findLiving(statements: Statements): number | undefined {
  const owners = statements.heldLeases
    .all({ now: systemClock.now() })
    .map((row) => toOwner(text(row, 'owner')));
  return owners.find((owner) => livenessOf(owner) !== 'dead')?.pid;
}
