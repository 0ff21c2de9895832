/** What the conformance suite of places needs of an adapter, and how its cases speak of places. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type {
  ArtifactOrder,
  Cleaned,
  CleanRequest,
  KnownRequest,
  Look,
  Place,
  PlaceAdapter,
  PlaceRequest,
  Prepared,
} from '../../../src/workspaces/index.ts';
import type { CleanupPolicy } from '../../../src/model/index.ts';
import type { Starter } from '../../support/kill.ts';
import { at, folderIn, type PlaceLife } from '../../support/place-life.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * One kind of places, in a world of its own: made anew for each test. Places are reached as files of this machine, also those
 * of an adapter that reaches them otherwise.
 */
export interface PlaceBench {
  /** Opened anew at each call, as by a driver that starts after a crash. */
  open(): PlaceAdapter;
  /** The folder of the run. In it is `.env` with the text `SECRET=1`; git, if there is one, ignores `.env`, `dist` and `cache`. */
  readonly folder: string;
  /** Of run `run-1` unless said otherwise; the token follows from run, task and generation. */
  request(task: string, more?: Partial<PlaceRequest>): PlaceRequest;
  /** Lays what was kept of a place out in a folder that is not there yet. */
  restore(ref: string, folder: string): Promise<void>;
  keepArtifacts(order: ArtifactOrder): Promise<{ readonly bytes: number }>;
  /** A process of its own that does `livePlace` (test/support/place-life.ts) with what `open` gives. */
  living(life: PlaceLife): Starter;
  /** Names of whatever is left of places when all of them were cleaned, for comparing. */
  leftovers(): readonly string[];
}

/** What an adapter cannot do, with the reason. */
export interface Inabilities {
  /** Files as they are in the middle of the work can be kept. */
  readonly save?: string;
  /** Several tasks can have a place in turn. */
  readonly slots?: string;
  readonly ports?: string;
  readonly copies?: string;
  readonly caches?: string;
  readonly artifacts?: string;
  /** A place that somebody has replaced is known for that. */
  readonly replacing?: string;
  /** A process can be killed at every effect. */
  readonly kills?: string;
}

/** Makes the bench of one test. */
export type MakeBench = () => Promise<PlaceBench>;

/** A request, and the place it was given: what the journal would hold. */
export class Stay {
  readonly #bench: PlaceBench;
  readonly request: PlaceRequest;
  readonly prepared: Prepared;

  constructor(bench: PlaceBench, request: PlaceRequest, prepared: Prepared) {
    this.#bench = bench;
    this.request = request;
    this.prepared = prepared;
  }

  get place(): Place {
    return this.prepared.place;
  }

  get folder(): string {
    return folderIn(this.request, this.place);
  }

  get known(): KnownRequest {
    return { ...this.request, known: this.place };
  }

  /** As every attempt does that goes on in it, once the place is recorded. */
  async again(more: Partial<PlaceRequest> = {}): Promise<Stay> {
    const work = { ...this.known, attempt: 'a0', seq: 1, at };
    const order = { attempt: 'a0', argv: ['true'], directory: this.folder, env: {} };
    if (existsSync(this.place.path)) await this.#bench.open().enter(work, order);
    return prepare(this.#bench, { ...this.known, ...more });
  }

  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Undefined: it is not there. */
  read(path: string): string | undefined {
    return readIn(this.folder, path);
  }

  /** Behind Piton's back. */
  delete(): void {
    rmSync(this.place.path, { recursive: true });
  }

  /** Behind Piton's back: another folder is there, with a file of somebody else. */
  replace(): void {
    this.delete();
    mkdirSync(this.place.path);
    writeFileSync(join(this.place.path, 'theirs.txt'), 'theirs');
  }

  clean(policy: CleanupPolicy, more: Partial<CleanRequest> = {}): Promise<Cleaned> {
    return this.#bench.open().clean({ ...this.known, hasSucceeded: false, at, ...more }, policy);
  }

  async look(): Promise<Look> {
    const [look] = await this.#bench.open().look([this.known]);
    return look!;
  }

  save(label = 'in the middle'): Promise<string | undefined> {
    return this.#bench.open().save({ ...this.known, attempt: 'a1', seq: 1, at, label });
  }

  /** A file of what was kept of it. */
  async readKept({ ref }: Cleaned, path: string): Promise<string | undefined> {
    const folder = join(temporaryFolder(), 'kept');
    await this.#bench.restore(ref!, folder);
    return readIn(folderIn(this.request, { ...this.place, path: folder }), path);
  }
}

function readIn(folder: string, path: string): string | undefined {
  const file = join(folder, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

export async function prepare(bench: PlaceBench, request: PlaceRequest): Promise<Stay> {
  return new Stay(bench, request, await bench.open().prepare(request));
}
