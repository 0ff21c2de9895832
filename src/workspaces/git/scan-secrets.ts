import type { Git } from './git.ts';
import { readObjects } from './objects.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';

/** Where the value of a secret was found, and of which: by its name, never the value. */
export interface SecretFound {
  /** Of the file; absent: in the message of the commit. */
  readonly path?: string;
  readonly secret: string;
  /** It is in a commit that somebody has made, not only in the files. */
  readonly commit?: string;
}

export interface ScanOrder {
  readonly repository: RepositoryPlace;
  /** What is to be committed, and the commit that it is put on. */
  readonly tree: string;
  readonly head: string | undefined;
  /** The first is where the files come from. All that these hold was looked through before, or was there before us. */
  readonly known: readonly [string, ...string[]];
  /** By the names of their variables. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Looks for the values of secrets in all that would come into the repository: the content and names of files, also of those that a
 * commit has brought and a later one has removed, and the messages of commits. Content is streamed, of whatever size and kind.
 */
export async function findSecrets(git: Git, order: ScanOrder): Promise<readonly SecretFound[]> {
  const wanted = Object.entries(order.secrets).flatMap(([secret, value]) =>
    spellingsOf(value).map((bytes) => ({ secret, bytes })),
  );
  if (wanted.length === 0) return [];
  const paths = await newObjects(git, order);
  const scanner = new Scanner(wanted);
  const input = [...paths.keys()].join('\n');
  const setting = inRepository(order.repository);
  if (paths.size > 0)
    await git.run(['cat-file', '--batch'], { ...setting, input, onPiece: (piece) => scanner.push(piece) });
  const found = scanner.hits.map(({ object, type, secret }) =>
    type === 'commit' ? { secret, commit: object } : { path: paths.get(object)!, secret },
  );
  const inFiles = await withoutKnown(git, order, found);
  return unique([...inFiles, ...(await findInNames(git, order, wanted))]);
}

/** Shorter ones are in any text, and were no secrets worth the name. */
const shortest = 8;

/** As it is, as JSON has it, and each line of several that is long enough to be none but its own. */
function spellingsOf(value: string): Buffer[] {
  const lines = value.includes('\n') ? value.split(/\r?\n/).filter(isTelling) : [];
  const spellings = [value.trim(), JSON.stringify(value).slice(1, -1), ...lines];
  return [...new Set(spellings)].filter(({ length }) => length >= shortest).map((text) => Buffer.from(text));
}

function isTelling(line: string): boolean {
  return line.length >= 20 && !line.startsWith('-----');
}

async function newObjects(
  git: Git,
  { repository, tree, head, known }: ScanOrder,
): Promise<ReadonlyMap<string, string>> {
  const args = [
    'rev-list',
    '--ignore-missing',
    '--objects',
    tree,
    ...(head === undefined ? [] : [head]),
    '--not',
    ...known,
  ];
  const { stdout } = await git.run(args, inRepository(repository));
  const lines = stdout.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.split(' ', 1)[0]!, line.slice(line.indexOf(' ') + 1)]));
}

/** What was in the file before is nobody's doing here. */
async function withoutKnown(
  git: Git,
  { repository, known: [base], secrets }: ScanOrder,
  found: readonly SecretFound[],
): Promise<readonly SecretFound[]> {
  const before = await readObjects(
    git,
    repository,
    found.map(({ path }) => (path === undefined ? '' : `${base}:${path}`)),
  );
  return found.filter(({ secret }, index) => {
    const content = before[index]?.content;
    return !spellingsOf(secrets[secret]!).some((spelling) => content?.includes(spelling));
  });
}

async function findInNames(
  git: Git,
  { repository, known: [base], tree }: ScanOrder,
  wanted: readonly Wanted[],
): Promise<readonly SecretFound[]> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', '--diff-filter=A', base, tree];
  const paths = splitAtZeros((await git.run(args, inRepository(repository))).stdout);
  return paths.flatMap((path) =>
    wanted
      .filter(({ bytes }) => path.includes(bytes.toString('utf8')))
      .map(({ secret }) => ({ path, secret })),
  );
}

function unique(found: readonly SecretFound[]): readonly SecretFound[] {
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

interface Wanted {
  readonly secret: string;
  readonly bytes: Buffer;
}

interface Hit {
  readonly object: string;
  readonly type: string;
  readonly secret: string;
}

/** Reads what `cat-file --batch` says, piece by piece: a value may lie across two of them. */
class Scanner {
  readonly hits: Hit[] = [];
  readonly #wanted: readonly Wanted[];
  readonly #overlap: number;
  #rest: Buffer = Buffer.alloc(0);
  #object: { readonly name: string; readonly type: string } | undefined;
  /** Bytes of the object that are to come, and the line break behind it. */
  #left = 0;
  #tail: Buffer = Buffer.alloc(0);

  constructor(wanted: readonly Wanted[]) {
    this.#wanted = wanted;
    this.#overlap = Math.max(...wanted.map(({ bytes }) => bytes.length)) - 1;
  }

  push(piece: Buffer): void {
    let bytes = piece;
    while (bytes.length > 0) bytes = this.#object === undefined ? this.#begin(bytes) : this.#goOn(bytes);
  }

  #begin(bytes: Buffer): Buffer {
    const all = Buffer.concat([this.#rest, bytes]);
    const end = all.indexOf(0x0a);
    this.#rest = end < 0 ? all : Buffer.alloc(0);
    if (end < 0) return Buffer.alloc(0);
    const [name = '', type = '', size] = all.toString('utf8', 0, end).split(' ');
    if (size !== undefined) {
      this.#object = { name, type };
      this.#left = Number(size) + 1;
      this.#tail = Buffer.alloc(0);
    }
    return all.subarray(end + 1);
  }

  #goOn(bytes: Buffer): Buffer {
    const own = bytes.subarray(0, this.#left);
    const { name, type } = this.#object!;
    if (type !== 'tree') this.#look(name, type, own);
    this.#left -= own.length;
    if (this.#left === 0) this.#object = undefined;
    return bytes.subarray(own.length);
  }

  #look(object: string, type: string, piece: Buffer): void {
    const window = Buffer.concat([this.#tail, piece]);
    for (const { secret, bytes } of this.#wanted)
      if (window.includes(bytes)) this.hits.push({ object, type, secret });
    this.#tail = Buffer.from(window.subarray(Math.max(0, window.length - this.#overlap)));
  }
}
