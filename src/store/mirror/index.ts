import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredCommit } from '../../model/index.ts';
import type { Store } from '../contract.ts';
import { folderName } from './folder-name.ts';
import { RunFiles } from './run-files.ts';
import { RunMirror } from './run-mirror.ts';

/**
 * A store that also writes every commit as a line of JSON to `<folder>/<run>/journal.jsonl`, with the run's row in
 * `last.json`: for people who like plain files, and as a witness of what the journal once held. Not a second authority:
 * it is written after the commit, without syncing; what it missed is made up for when the run is next written or taken.
 */
export function mirrorStore(inner: Store, folder: string): Store {
  const mirrors = new Mirrors(inner, folder);
  return {
    ...forwarded(inner),

    // The caller goes on only when the mirror has the commit too, so that it witnesses everything that was acted upon.
    createRun: (request) => mirrors.recordAfter(inner.createRun(request), request.commit),
    append: (request) => mirrors.recordAfter(inner.append(request), request.commit),
    // Only adds: should the mirror know more of that run, or another run of that id, that is evidence.
    async importRun(request) {
      await inner.importRun(request);
      await mirrors.catchUp(request.record.run);
    },
    async takeLease(request) {
      const taking = await inner.takeLease(request);
      if (taking.taken && request.run !== undefined) await mirrors.catchUp(request.run);
      return taking;
    },
    // The journal first: if we die in between, the mirror still shows more than the journal, and the repair is repeated.
    async quarantine(request) {
      await inner.quarantine(request);
      await mirrors.cutBack(request.commit.run);
    },
    async prune(request) {
      const before = request.runs ?? (await inner.listRunIds());
      const pruned = await inner.prune(request);
      const left = new Set(await inner.listRunIds());
      // Only if its run was there before, or is named, and is gone now: the mirror of a lost database stays.
      for (const run of before) if (!left.has(run)) await mirrors.remove(run);
      if (before.length === 0) await mirrors.removeLeft(left);
      return pruned;
    },
    async witnessedSeq(run) {
      const seqs = await Promise.all([inner.witnessedSeq(run), mirrors.witnessedSeq(run)]);
      const known = seqs.filter((seq) => seq !== undefined);
      return known.length > 0 ? Math.max(...known) : undefined;
    },
    async close() {
      await mirrors.idle();
      await inner.close();
    },
  };
}

/** Written out, because the methods of a class do not survive being spread. */
function forwarded(inner: Store) {
  return {
    url: inner.url,
    durability: inner.durability,
    ...(inner.file !== undefined && { file: inner.file }),
    readCommits: inner.readCommits.bind(inner),
    findRun: inner.findRun.bind(inner),
    listRuns: inner.listRuns.bind(inner),
    readChanges: inner.readChanges.bind(inner),
    newestCursor: inner.newestCursor.bind(inner),
    listRunIds: inner.listRunIds.bind(inner),
    compareRun: inner.compareRun.bind(inner),
    rebuildRun: inner.rebuildRun.bind(inner),
    saveSnapshot: inner.saveSnapshot.bind(inner),
    loadSnapshot: inner.loadSnapshot.bind(inner),
    readBlob: inner.readBlob.bind(inner),
    findLeases: inner.findLeases.bind(inner),
    releaseLease: inner.releaseLease.bind(inner),
    onLeaseLost: inner.onLeaseLost.bind(inner),
    onHeartbeat: inner.onHeartbeat.bind(inner),
    sendCommand: inner.sendCommand.bind(inner),
    pendingCommands: inner.pendingCommands.bind(inner),
    findCommand: inner.findCommand.bind(inner),
    watch: inner.watch.bind(inner),
    hasRoom: inner.hasRoom.bind(inner),
    quarantined: inner.quarantined.bind(inner),
    mayShareFolder: inner.mayShareFolder.bind(inner),
    dropBlobs: inner.dropBlobs.bind(inner),
    measure: inner.measure.bind(inner),
    compact: inner.compact.bind(inner),
    backup: inner.backup.bind(inner),
    checkMedium: inner.checkMedium.bind(inner),
    figures: inner.figures.bind(inner),
  };
}

class Mirrors {
  readonly #inner: Store;
  readonly #folder: string;
  readonly #mirrors = new Map<string, RunMirror>();
  readonly #unfinished = new Set<Promise<unknown>>();
  #hasWarned = false;

  constructor(inner: Store, folder: string) {
    this.#inner = inner;
    this.#folder = folder;
  }

  #of(run: string): RunMirror {
    const known = this.#mirrors.get(run);
    if (known !== undefined) return known;
    const files = new RunFiles(join(this.#folder, folderName(run)), run);
    const made = new RunMirror(this.#inner, run, files);
    this.#mirrors.set(run, made);
    return made;
  }

  async recordAfter<T>(committing: Promise<T>, commit: StoredCommit): Promise<T> {
    this.#unfinished.add(committing);
    try {
      const result = await committing;
      await this.#orWarn(this.#with(commit.run, (mirror) => mirror.record(commit)));
      return result;
    } finally {
      this.#unfinished.delete(committing);
    }
  }

  async catchUp(run: string): Promise<void> {
    await this.#orWarn(this.#with(run, (mirror) => mirror.catchUp()));
  }

  async cutBack(run: string): Promise<void> {
    await this.#orWarn(this.#with(run, (mirror) => mirror.cutBack()));
  }

  async remove(run: string): Promise<void> {
    await this.#orWarn(this.#with(run, (mirror) => mirror.remove()));
  }

  /** Of runs that were removed by one who was killed before their mirrors were. The store tells which it has removed. */
  async removeLeft(known: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const explained = new Set(Array.from(known, folderName));
    const unexplained = new Set(names.filter((name) => !explained.has(name)));
    if (unexplained.size === 0) return;
    for await (const run of removedRuns(this.#inner))
      if (!known.has(run) && unexplained.has(folderName(run))) await this.remove(run);
  }

  witnessedSeq(run: string): Promise<number | undefined> {
    return this.#with(run, (mirror) => mirror.witnessedSeq());
  }

  /** Only a mirror at rest is forgotten: two at work on the files of one run would tear them. */
  async #with<T>(run: string, use: (mirror: RunMirror) => Promise<T>): Promise<T> {
    const mirror = this.#of(run);
    try {
      return await use(mirror);
    } finally {
      if (mirror.isAtRest && this.#mirrors.get(run) === mirror) this.#mirrors.delete(run);
    }
  }

  /** Commits first: only when they are settled does anything of them reach a mirror. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#unfinished);
    for (const mirror of this.#mirrors.values()) await mirror.idle();
  }

  /** The commit stands whatever becomes of its mirror. Said once, since every commit would fail alike. */
  async #orWarn(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      const reason = error instanceof Error ? error.message : String(error);
      process.emitWarning(`The mirror ${this.#folder} could not be written and is behind: ${reason}`, {
        code: 'PITON_MIRROR_BEHIND',
        detail: 'Commits are safe in the store. The mirror catches up by itself once it can be written.',
      });
    }
  }
}

async function* removedRuns(store: Store): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const page = await store.readChanges({ limit: changesPerPage, ...(after !== undefined && { after }) });
    for (const { run, seq } of page) if (seq === undefined) yield run;
    if (page.length < changesPerPage) return;
    after = page.at(-1)!.cursor;
  }
}

const changesPerPage = 10_000;
