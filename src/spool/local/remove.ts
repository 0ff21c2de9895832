import { readdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteTree, randomId } from '../../base/index.ts';
import { codeOf, files, isAbsence, makeClaim } from '../layout.ts';
import { lookAt, type Place } from './look.ts';
import { familyOf, findMembers } from './members.ts';

/** Under such a name a folder is gone for everybody, even if we are killed before it is empty. */
const discarded = '.discarded-';

export function listAttempts(spool: string): string[] {
  return namesIn(spool).filter((name) => !name.startsWith('.'));
}

/** Then whoever prepares it cannot come to an end if the folder goes: it is made once, and its files need it. */
export function isBegunToPrepare(folder: string): boolean {
  return namesIn(folder).some((name) => name !== files.claim);
}

export async function removeAttempt(spool: string, place: Place): Promise<boolean> {
  if (isInUse(place)) return false;
  try {
    await rename(place.folder, join(spool, discarded + randomId()));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return true;
}

export async function emptyDiscarded(spool: string): Promise<void> {
  const names = namesIn(spool).filter((name) => name.startsWith(discarded));
  for (const name of names) await deleteTree(join(spool, name));
}

function isInUse(place: Place): boolean {
  const { type } = lookAt(place);
  if (type === 'absent') return false;
  if (type === 'alive' || type === 'elsewhere') return true;
  if (type === 'unclaimed') makeClaim(place.folder);
  const family = familyOf(place);
  return (family !== undefined && findMembers(family).length > 0) || lookAt(place).type === 'alive';
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}
