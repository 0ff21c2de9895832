import { sha256 } from '../../base/index.ts';

/** Most file systems end at 255 bytes; the rest is for what else may be appended to a name. */
const longest = 200;

/**
 * The folder of a run: its id, with every character escaped that a file system could take for something else. Capitals
 * too, because where case is ignored two runs would share a folder; dots, because `..` leads out of it.
 */
export function folderName(run: string): string {
  const name = run.replace(/[^a-z0-9_-]/gu, escaped);
  return name.length <= longest ? name : `${name.slice(0, longest - 65)}~${sha256(run)}`;
}

function escaped(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
