import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, mkdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gunzip } from 'node:zlib';
import { hasCode, isPlainObject } from '../../base/index.ts';
import type { StoredCommit } from '../../model/index.ts';
import type { RunRecord } from '../contract.ts';
import { fromLine, toLine } from '../lines.ts';

/** What a mirrored journal shows. */
export interface Shown {
  /** From the beginning to the last line before one that cannot be read. */
  readonly commits: readonly StoredCommit[];
  /** Of any line, also behind one that cannot be read; 0 if there is none. */
  readonly highestSeq: number;
  /** Length of the file up to the end of `commits`. */
  readonly bytes: number;
  /** What follows them. Without a line break it is a line that was being written when the process died. */
  readonly rest: string;
}

/** The folder of one run: `journal.jsonl` (or, of a finished run, `journal.jsonl.gz`), `last.json`, and what was set aside. */
export class RunFiles {
  readonly folder: string;
  readonly #run: string;
  readonly #journal: string;
  readonly #compressed: string;
  readonly #last: string;

  constructor(folder: string, run: string) {
    this.folder = folder;
    this.#run = run;
    this.#journal = join(folder, 'journal.jsonl');
    this.#compressed = join(folder, 'journal.jsonl.gz');
    this.#last = join(folder, 'last.json');
  }

  async size(): Promise<number | undefined> {
    return (await unlessMissing(stat(this.#journal)))?.size;
  }

  async read(): Promise<Shown> {
    const content = await this.#readContent();
    const lines = content.split('\n').slice(0, -1);
    const read = lines.map((line) => fromLine(this.#run, line));
    const unreadable = read.indexOf(undefined);
    const commits = read.slice(0, unreadable < 0 ? undefined : unreadable) as StoredCommit[];
    const readable = commits.map(toLine).join('');
    const highestSeq = read.reduce((highest, commit) => Math.max(highest, commit?.seq ?? 0), 0);
    return { commits, highestSeq, bytes: Buffer.byteLength(readable), rest: content.slice(readable.length) };
  }

  /** Of `last.json`, which outlives the journal beside it if that was lost. */
  async lastSeq(): Promise<number | undefined> {
    const content = await unlessMissing(readFile(this.#last, 'utf8'));
    const last = content === undefined ? undefined : parsed(content);
    return isPlainObject(last) && typeof last['seq'] === 'number' ? last['seq'] : undefined;
  }

  /** How many bytes it wrote. */
  async append(commits: readonly StoredCommit[]): Promise<number> {
    const lines = commits.map(toLine).join('');
    await appendFile(this.#journal, lines);
    return Buffer.byteLength(lines);
  }

  /** Makes the journal a plain file that ends after its last readable line, ready to be appended to. */
  async prepare({ bytes, rest }: Shown): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    if ((await this.size()) === undefined) await replace(this.#journal, await this.#readContent());
    await rm(this.#compressed, { force: true });
    if (rest !== '') await this.cut(bytes, rest.includes('\n') ? rest : '');
  }

  /** Shortens the journal. What is cut off is kept first, in a file of its own: a crash in between keeps it twice. */
  async cut(bytes: number, aside: string): Promise<void> {
    if (aside !== '') await writeFile(await this.#freeName(), aside);
    await truncate(this.#journal, bytes);
  }

  async writeLast(record: RunRecord): Promise<void> {
    await replace(this.#last, `${JSON.stringify(record, undefined, 2)}\n`);
  }

  async compress(): Promise<void> {
    const partial = `${this.#compressed}.new`;
    await pipeline(createReadStream(this.#journal), createGzip(), createWriteStream(partial));
    await rename(partial, this.#compressed);
    await rm(this.#journal);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The plain file counts if both are there: the process died while compressing it. */
  async #readContent(): Promise<string> {
    const plain = await unlessMissing(readFile(this.#journal, 'utf8'));
    if (plain !== undefined) return plain;
    const compressed = await unlessMissing(readFile(this.#compressed));
    return compressed === undefined ? '' : (await promisify(gunzip)(compressed)).toString();
  }

  async #freeName(): Promise<string> {
    for (let number = 1; ; number++) {
      const name = join(this.folder, `set-aside-${number}.jsonl`);
      if ((await unlessMissing(stat(name))) === undefined) return name;
    }
  }
}

/** Renamed into place, so that whoever reads the file finds the old one or the new one, whole. */
async function replace(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content);
  await rename(`${file}.new`, file);
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
