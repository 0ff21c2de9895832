/** Fixtures of interrupted runs as they lie in `test/fixtures/interrupted`: a folder each, of texts that can be read. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

const folder = resolve(import.meta.dirname, '../../fixtures/interrupted');
const blobs = join(folder, 'blobs');
const bases = join(folder, 'bases');

export interface FixtureFile {
  /** In the folder of the repository. With a slash at its end: an empty folder. */
  readonly path: string;
  readonly text: string;
}

export interface Fixture {
  readonly run: string;
  /** The bodies of its commits. */
  readonly journal: readonly string[];
  readonly files: readonly FixtureFile[];
  /** The first commit of its repository, and what `git fast-export` tells of that. */
  readonly base: { readonly commit: string; readonly text: string };
  /** The same of all that came after. */
  readonly repository: string;
  /** What was asked of the run, and nobody has decided. */
  readonly inbox: readonly unknown[];
  /** Of worktrees in which something is staged: what `git ls-files --stage` tells. */
  readonly indexes: readonly { readonly place: string; readonly entries: string }[];
  /** How far the journal had come, if it has lost its end. */
  readonly head?: { readonly seq: number; readonly hash: string };
}

export function fixtureNames(): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['blobs', 'bases'].includes(entry.name))
    .map(({ name }) => name);
}

export function readFixture(name: string): Fixture {
  const read = (file: string): string => {
    const path = join(folder, name, file);
    return existsSync(path) ? lengthened(name, readFileSync(path, 'utf8')) : '';
  };
  const more = read('more.json');
  return {
    run: name,
    journal: read('journal.txt')
      .split('\n')
      .slice(0, -1)
      .map((line, index) => parseBody(name, line, index + 1)),
    files: parseFiles(read('files.txt')),
    ...readRepository(read('repository.txt')),
    inbox: [],
    indexes: [],
    ...(more !== '' && (JSON.parse(more) as object)),
  };
}

export function writeFixture(fixture: Fixture): void {
  const { run, journal, files, base, repository, inbox, indexes, head } = fixture;
  mkdirSync(join(folder, run), { recursive: true });
  const write = (file: string, text: string): void => {
    if (text !== '') writeFileSync(join(folder, run, file), shortened(run, text));
  };
  write('journal.txt', journal.map((body) => `${printBody(body)}\n`).join(''));
  write('files.txt', files.map(printFile).join(''));
  // To git, that is a comment.
  write('repository.txt', `# on ${base.commit}\n${repository}`);
  mkdirSync(bases, { recursive: true });
  writeFileSync(join(bases, `${base.commit}.txt`), base.text);
  const more = {
    ...(inbox.length > 0 && { inbox }),
    ...(indexes.length > 0 && { indexes }),
    ...(head !== undefined && { head }),
  };
  if (Object.keys(more).length > 0) write('more.json', `${JSON.stringify(more, null, 2)}\n`);
}

/** Definitions, and other large values: many fixtures have the same. */
export function writeBlob(hash: string, text: string): void {
  mkdirSync(blobs, { recursive: true });
  writeFileSync(join(blobs, `${hash}.json`), text);
}

export function readBlob(hash: string): string {
  return readFileSync(join(blobs, `${hash}.json`), 'utf8');
}

type Golden = 'shown.txt' | 'resumed.txt';

/** What the version that wrote the fixture made of it. With PITON_GOLDEN=write, where nothing is there yet, it is what `made` is now. */
export function golden(name: string, file: Golden, made: string): string {
  const path = join(folder, name, file);
  if (!existsSync(path) && process.env['PITON_GOLDEN'] === 'write') writeFileSync(path, made);
  return readFileSync(path, 'utf8');
}

/** What the version that wrote the fixtures wrote as snapshots of them, by name: nobody reads these, so they are compressed. */
const snapshots = join(folder, 'snapshots-10.json.gz');

export function readSnapshots(): Record<string, string> {
  return existsSync(snapshots)
    ? (JSON.parse(gunzipSync(readFileSync(snapshots)).toString()) as Record<string, string>)
    : {};
}

/** With PITON_GOLDEN=write, adds those that are missing. */
export function addSnapshots(made: Readonly<Record<string, string>>): void {
  if (process.env['PITON_GOLDEN'] !== 'write') return;
  const all = { ...made, ...readSnapshots() };
  writeFileSync(snapshots, gzipSync(JSON.stringify(all), { level: 9 }));
}

function readRepository(text: string): Pick<Fixture, 'base' | 'repository'> {
  const [, commit = ''] = /^# on (.*)\n/.exec(text) ?? [];
  return { base: { commit, text: readFileSync(join(bases, `${commit}.txt`), 'utf8') }, repository: text };
}

/** What stands in these files again and again, and its short name. */
function names(run: string): readonly (readonly [string, string])[] {
  return [
    [`@ROOT@/repository/.piton/worktrees/${run}/`, '@PLACES@'],
    ['@ROOT@/repository', '@REPO@'],
    [`refs/heads/piton-tasks/${run}/`, '@BRANCHES@'],
  ];
}

function shortened(run: string, text: string): string {
  const short = names(run).reduce((whole, [long, name]) => whole.replaceAll(long, name), text);
  return short.replaceAll(identity, '@PROCESS$1@');
}

function lengthened(run: string, text: string): string {
  const long = names(run).reduceRight((whole, [one, name]) => whole.replaceAll(name, one), text);
  return long.replaceAll(
    /@PROCESS(\d+)@/g,
    '{"host":"@HOST@","bootId":"@BOOT@","pidNamespace":"@NAMESPACE@","pid":$1,"startTime":"1"}',
  );
}

const identity =
  /\{"host":"@HOST@","bootId":"@BOOT@","pidNamespace":"@NAMESPACE@","pid":(\d+),"startTime":"1"\}/g;

/** Without what can be told from its place. */
function printBody(body: string): string {
  const [, at, epoch, version, events] =
    /^\{"run":"[^"]*","seq":\d+,"at":(\d+),"epoch":(\d+),"version":(\d+),"events":(.*)\}$/.exec(body)!;
  return `${at} ${epoch} ${version} ${events}`;
}

function parseBody(run: string, line: string, seq: number): string {
  const [, at, epoch, version, events] = /^(\d+) (\d+) (\d+) (.*)$/.exec(line)!;
  return `{"run":"${run}","seq":${seq},"at":${at},"epoch":${epoch},"version":${version},"events":${events}}`;
}

/**
 * A line with its path, then its lines, each after a bar; if the last has nothing behind its bar, the text ends with a line. Of JSON
 * that is printed on many lines, one that begins with an equals sign.
 */
function printFile({ path, text }: FixtureFile): string {
  if (isPrinted(text)) return `==> ${path}\n=${JSON.stringify(JSON.parse(text))}\n`;
  const lines = text === '' ? [] : text.split('\n').map((line) => `|${line}\n`);
  return `==> ${path}\n${lines.join('')}`;
}

function isPrinted(text: string): boolean {
  return text.startsWith('{\n') && `${JSON.stringify(JSON.parse(text), null, 2)}\n` === text;
}

function parseFiles(text: string): FixtureFile[] {
  return text
    .split(/^==> /m)
    .slice(1)
    .map((part) => {
      const [path = '', ...lines] = part.split('\n').slice(0, -1);
      const isJson = lines[0]?.startsWith('=') === true;
      const content = lines.map((line) => line.slice(1)).join('\n');
      return { path, text: isJson ? `${JSON.stringify(JSON.parse(content), null, 2)}\n` : content };
    });
}
