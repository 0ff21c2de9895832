import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { hasCode, sha256 } from '../../base/index.ts';
import { findEntry, waysIn, writeWhole, type Durability } from '../files.ts';

export interface NoteTools {
  /** Where it is noted: outside of the places, so that nobody who works there changes it. */
  readonly notes: string;
  readonly durability: Durability;
}

interface Note {
  readonly source: string;
  readonly hash: string;
}

type Notes = Readonly<Record<string, Note>>;

export interface Arrival {
  /** Of the place. */
  readonly root: string;
  /** From there. */
  readonly path: string;
  readonly source: string;
  /** The copy, before it is at its path. */
  readonly draft: string;
}

/** Remembers what was copied: the user may change theirs, and then the copy could not be told from something made there. */
export async function noteCopy(tools: NoteTools, { root, path, source, draft }: Arrival): Promise<void> {
  const isFolder = (await findEntry(draft))?.isDirectory() === true;
  const ways = isFolder ? await waysIn(draft) : [''];
  const noted: Record<string, Note> = { ...(await readNotes(tools, root)) };
  for (const way of ways) {
    const hash = await hashOf(join(draft, way));
    if (hash !== undefined) noted[join(path, way)] = { source: join(source, way), hash };
  }
  await writeWhole(await fileOf(tools, root), JSON.stringify(noted), tools.durability);
}

/** Whether a file is as it was copied, and the user still has one there: if not, this may be the last there is. */
export async function isNotedCopy(tools: NoteTools, root: string, path: string): Promise<boolean> {
  const note = (await knownNotes(tools, root))[path];
  if (note === undefined || (await findEntry(note.source)) === undefined) return false;
  return (await hashOf(join(root, path))) === note.hash;
}

export async function forgetCopies(tools: NoteTools, root: string): Promise<void> {
  await rm(await fileOf(tools, root), { force: true });
}

interface Known {
  readonly file: string;
  /** Of the file: whoever notes something puts another in its place. */
  readonly version: string;
  readonly notes: Notes;
}

const lastKnown = new WeakMap<NoteTools, Known>();

/** Asked for one file of a place after the other, and of a folder with thousands of files as many are noted: read once. */
async function knownNotes(tools: NoteTools, root: string): Promise<Notes> {
  const file = await fileOf(tools, root);
  const version = await versionOf(file);
  if (version === undefined) return {};
  const known = lastKnown.get(tools);
  if (known?.file === file && known.version === version) return known.notes;
  const notes = await readNotes(tools, root);
  lastKnown.set(tools, { file, version, notes });
  return notes;
}

async function versionOf(file: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs, size } = await stat(file, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function readNotes(tools: NoteTools, root: string): Promise<Notes> {
  try {
    return JSON.parse(await readFile(await fileOf(tools, root), 'utf8')) as Notes;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return {};
    throw error;
  }
}

/** The same name for one place, whichever way leads there, and also when it is gone. */
async function fileOf({ notes }: NoteTools, root: string): Promise<string> {
  const above = await realpath(dirname(root)).catch(() => dirname(root));
  return join(notes, `${sha256(join(above, basename(root)))}.json`);
}

/** Undefined: it is neither a file nor a link. */
async function hashOf(path: string): Promise<string | undefined> {
  const found = await findEntry(path);
  if (found?.isSymbolicLink() === true) return sha256(`link ${await readlink(path)}`);
  if (found?.isFile() !== true) return undefined;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
