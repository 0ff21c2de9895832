import { isFinal, type StoredCommit } from '../../model/index.ts';
import type { RunRecord, Store } from '../contract.ts';
import { toLine } from '../lines.ts';
import type { RunFiles, Shown } from './run-files.ts';

const pageSize = 500;

interface End {
  readonly seq: number;
  readonly bytes: number;
}

/**
 * Brings the mirror of one run to where its journal is. One piece of work at a time, in the order asked for; after a
 * failure it looks at the files again, because it no longer knows what they hold.
 */
export class RunMirror {
  readonly #inner: Store;
  readonly #run: string;
  readonly #files: RunFiles;
  #end: End | undefined;
  readonly #waiting: StoredCommit[] = [];
  #recording: Promise<void> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #turnsLeft = 0;

  constructor(inner: Store, run: string, files: RunFiles) {
    this.#inner = inner;
    this.#run = run;
    this.#files = files;
  }

  /** Shows a commit that is in the journal, and those before it that the mirror has missed. */
  record(commit: StoredCommit): Promise<void> {
    this.#waiting.push(commit);
    return (this.#recording ??= this.#inTurn(() => this.#recordWaiting()));
  }

  /** Only adds to what the mirror shows. If it shows anything the journal does not hold, that is evidence, and stays. */
  catchUp(): Promise<void> {
    return this.#inTurn(async () => {
      const shown = await this.#files.read();
      if (!(await this.#isBehind(shown))) return;
      await this.#files.prepare(shown);
      await this.#extend(endOf(shown.commits));
      await this.#finish();
    });
  }

  /** Moves aside what the journal no longer holds: it was cut back on purpose. */
  cutBack(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#follow();
      await this.#finish();
    });
  }

  remove(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#files.remove();
      this.#end = undefined;
    });
  }

  /** Nothing to do, and nothing known that the files do not show, as when the run has ended. */
  get isAtRest(): boolean {
    return this.#turnsLeft === 0 && this.#end === undefined;
  }

  async witnessedSeq(): Promise<number | undefined> {
    await this.#turn;
    const { highestSeq } = await this.#files.read();
    const highest = Math.max(highestSeq, (await this.#files.lastSeq()) ?? 0);
    return highest > 0 ? highest : undefined;
  }

  /** Resolves when all that was asked for is done, or has failed. */
  async idle(): Promise<void> {
    await this.#turn;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turnsLeft++;
    const done = this.#turn
      .then(work)
      .catch((error: unknown) => {
        this.#end = undefined;
        throw error;
      })
      .finally(() => this.#turnsLeft--);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Together, as they were committed: one look at the files and one row for all of them. */
  async #recordWaiting(): Promise<void> {
    this.#recording = undefined;
    const commits = this.#waiting.splice(0);
    if (await this.#isJustBefore(commits)) await this.#append(this.#end!, commits);
    else await this.#follow();
    await this.#finish();
  }

  /** Another driver of the run may have written too: then the file is not as long as we left it. */
  async #isJustBefore(commits: readonly StoredCommit[]): Promise<boolean> {
    const end = this.#end;
    if (end === undefined || commits.some(({ seq }, index) => seq !== end.seq + 1 + index)) return false;
    return (await this.#files.size()) === end.bytes;
  }

  async #follow(): Promise<void> {
    const shown = await this.#files.read();
    await this.#files.prepare(shown);
    const common = await this.#commonLength(shown.commits);
    const end = endOf(shown.commits.slice(0, common));
    const foreign = shown.commits.slice(common);
    if (foreign.length > 0) await this.#files.cut(end.bytes, foreign.map(toLine).join(''));
    await this.#extend(end);
  }

  /** How many of the commits shown, from the first on, are in the journal. */
  async #commonLength(commits: readonly StoredCommit[]): Promise<number> {
    if (await this.#holds(commits.at(-1))) return commits.length;
    for (let index = 0; index < commits.length; index += pageSize) {
      const page = await this.#inner.readCommits(this.#run, { after: index, limit: pageSize });
      const shown = commits.slice(index, index + pageSize);
      const differing = shown.findIndex(
        ({ seq, hash }, at) => page[at]?.seq !== seq || page[at].hash !== hash,
      );
      if (differing >= 0) return index + differing;
    }
    return commits.length;
  }

  async #isBehind({ commits, highestSeq }: Shown): Promise<boolean> {
    const head = (await this.#inner.findRun(this.#run))?.seq ?? 0;
    return highestSeq <= head && (await this.#holds(commits.at(-1)));
  }

  async #holds(commit: StoredCommit | undefined): Promise<boolean> {
    if (commit === undefined) return true;
    const [held] = await this.#inner.readCommits(this.#run, { after: commit.seq - 1, limit: 1 });
    return held?.seq === commit.seq && held.hash === commit.hash;
  }

  async #extend(end: End): Promise<void> {
    this.#end = end;
    for (;;) {
      const page = await this.#inner.readCommits(this.#run, { after: this.#end.seq, limit: pageSize });
      if (page.length > 0) await this.#append(this.#end, page);
      if (page.length < pageSize) return;
    }
  }

  async #append(end: End, commits: readonly StoredCommit[]): Promise<void> {
    const written = await this.#files.append(commits);
    this.#end = { seq: commits.at(-1)!.seq, bytes: end.bytes + written };
  }

  async #finish(): Promise<void> {
    const record: RunRecord | undefined = await this.#inner.findRun(this.#run);
    if (record === undefined) return;
    await this.#files.writeLast(record);
    if (!isFinal(record.status)) return;
    await this.#files.compress();
    this.#end = undefined;
  }
}

function endOf(commits: readonly StoredCommit[]): End {
  return { seq: commits.at(-1)?.seq ?? 0, bytes: Buffer.byteLength(commits.map(toLine).join('')) };
}
