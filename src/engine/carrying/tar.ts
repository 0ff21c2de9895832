/** The headers of a tar file (POSIX ustar): plain files only, owned by nobody in particular. */

export const blockBytes = 512;
/** As many as eleven octal digits tell. */
export const mostMemberBytes = 8 ** 11 - 1;

export interface TarEntry {
  readonly name: string;
  readonly size: number;
}

const checksumAt = 148;

/** `seconds`: since 1970, when the member was last changed. */
export function tarHeader({ name, size }: TarEntry, seconds: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  const fields: readonly (readonly [at: number, text: string])[] = [
    [0, name],
    [100, '0000600\0'],
    [108, '0000000\0'],
    [116, '0000000\0'],
    [124, `${octal(size)}\0`],
    [136, `${octal(seconds)}\0`],
    [checksumAt, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\x0000'],
  ];
  for (const [at, text] of fields) header.write(text, at, 'latin1');
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, checksumAt, 'latin1');
  return header;
}

/** Undefined for anything that `tarHeader` does not write. */
export function readTarHeader(block: Buffer): TarEntry | undefined {
  const name = textAt(block, 0, 100);
  const size = Number.parseInt(/^[0-7]{11}$/.exec(textAt(block, 124, 12))?.[0] ?? '', 8);
  const seconds = Number.parseInt(/^[0-7]{11}$/.exec(textAt(block, 136, 12))?.[0] ?? '', 8);
  if (Number.isNaN(size) || Number.isNaN(seconds)) return undefined;
  return block.equals(tarHeader({ name, size }, seconds)) ? { name, size } : undefined;
}

/** From the end of a member to the next header. */
export function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

function textAt(block: Buffer, at: number, length: number): string {
  const text = block.toString('latin1', at, at + length);
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

function octal(value: number): string {
  return value.toString(8).padStart(11, '0');
}

function sumOf(header: Buffer): number {
  return header.reduce((sum, byte) => sum + byte, 0);
}
