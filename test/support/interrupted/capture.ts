/** What an interrupted run has left, as text that names no machine and no folder. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ownIdentity } from '../../../src/base/index.ts';
import type { Fixture, FixtureFile } from './fixture.ts';
import type { Workshop } from './workshop.ts';

/** Larger than any: what a fixture tells of as a process never lives, and is no one's. */
const firstPid = 99_990_001;

export interface Captured {
  readonly fixture: Fixture;
  /** By their hashes. */
  readonly blobs: ReadonlyMap<string, string>;
}

export function capture({ root, repository, run }: Workshop): Captured {
  const plain = withoutMachine(root);
  const stored = readStore(join(repository, '.piton'));
  const { journal } = stored;
  const files = [
    ...named(repository, ['.git/ledger', '.git/checked', '.git/failed']),
    ...worktreesOf(repository),
    ...placesOf(repository),
    ...below(repository, join(repository, '.piton/archive')),
    ...spooled(repository, journal.join('\n')),
    ...sessionsOf(root),
  ];
  return {
    blobs: stored.blobs,
    fixture: {
      run,
      journal: journal.map(plain),
      files: files.map(({ path, text }) => ({ path, text: plain(text) })),
      ...repositoryOf(repository, [...journal, ...files.map(({ text }) => text)].join('\n')),
      inbox: stored.inbox.map((command) => JSON.parse(plain(JSON.stringify(command)))),
      indexes: indexesOf(repository),
      ...lostHead(repository, journal.length),
    },
  };
}

/** Of the scripted agent. All of its turns tell its part anew. */
function sessionsOf(root: string): FixtureFile[] {
  const part = join(root, 'repository/part');
  const told = existsSync(part) ? JSON.stringify(readFileSync(part, 'utf8')) : '';
  return below(root, join(root, 'sessions')).map(({ path, text }) => ({
    path: `../${path}`,
    text: told === '' ? text : text.replaceAll(told, '"@PART@"'),
  }));
}

function withoutMachine(root: string): (text: string) => string {
  const { host, bootId, pidNamespace } = ownIdentity();
  const pids = new Map<string, number>();
  const pidFor = (pid: string): number => {
    if (!pids.has(pid)) pids.set(pid, firstPid + pids.size);
    return pids.get(pid)!;
  };
  const sources = resolve(import.meta.dirname, '../../..');
  return (text) =>
    text
      .replaceAll(root, '@ROOT@')
      .replaceAll(process.execPath, '@NODE@')
      .replaceAll(sources, '@SOURCES@')
      .replaceAll(bootId, '@BOOT@')
      .replaceAll(pidNamespace, '@NAMESPACE@')
      .replaceAll(new RegExp(`("host":\\s*)"${host}"`, 'g'), '$1"@HOST@"')
      .replaceAll(` on ${host}`, ' on @HOST@')
      .replaceAll(`${userInfo().username}@${host}`, 'ada@@HOST@')
      .replaceAll(/("pid":\s*)(\d+)/g, (_, key: string, pid: string) => `${key}${pidFor(pid)}`)
      .replaceAll(/("startTime":\s*)"[^"]*"/g, '$1"1"')
      .replaceAll(/("seal":\s*)"[^"]*"/g, '$1"@SEAL@"')
      .replaceAll(/("bornMs":\s*)\d+/g, `$1${Number.MAX_SAFE_INTEGER}`)
      .replace(
        /^(\w{16}) (\d+) (\d+) end *\n$/,
        (_, attempt: string, pid: string) => `${attempt} ${pidFor(pid)} 1 end\n`,
      )
      .replace(/^(\w{16} \d{3} [01]) [0-9a-f]{32} end\n$/, '$1 @NONCE@ end\n');
}

interface StoredRun {
  readonly journal: readonly string[];
  readonly blobs: ReadonlyMap<string, string>;
  readonly inbox: readonly unknown[];
}

/** From a copy: whoever reads a log may change it. */
function readStore(folder: string): StoredRun {
  const copy = mkdtempSync(join(tmpdir(), 'piton-copy-'));
  for (const name of readdirSync(folder))
    if (/^piton\.db(-wal)?$/.test(name)) cpSync(join(folder, name), join(copy, name));
  const database = new DatabaseSync(join(copy, 'piton.db'));
  try {
    const commits = database.prepare('SELECT body FROM commits ORDER BY seq').all();
    const blobs = database.prepare('SELECT hash, text FROM blobs').all();
    const inbox = database.prepare('SELECT id, run, at, command FROM inbox WHERE answer IS NULL').all();
    return {
      journal: commits.map(({ body }) => String(body)),
      blobs: new Map(blobs.map(({ hash, text }) => [String(hash), String(text)])),
      inbox: inbox.map(({ command, ...rest }) => ({ ...rest, command: JSON.parse(String(command)) })),
    };
  } finally {
    database.close();
    rmSync(copy, { recursive: true });
  }
}

function named(repository: string, paths: readonly string[]): FixtureFile[] {
  return paths
    .filter((path) => existsSync(join(repository, path)))
    .map((path) => ({ path, text: readFileSync(join(repository, path), 'utf8') }));
}

/** All files, and folders that are empty, with a slash at their end. */
function below(root: string, folder: string): FixtureFile[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).sort();
  if (names.length === 0) return [{ path: `${relative(root, folder)}/`, text: '' }];
  return names.flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return below(root, path);
    return [{ path: relative(root, path), text: readFileSync(path, 'utf8') }];
  });
}

/** What git keeps of worktrees, but for what can be made anew. */
function worktreesOf(repository: string): FixtureFile[] {
  const isKept = ({ path }: FixtureFile): boolean => !/\/(logs\/.*|index|piton-index-\w+)$/.test(path);
  return below(repository, join(repository, '.git/worktrees')).filter(isKept);
}

/** What lies in worktrees and is not as in their commits. */
function placesOf(repository: string): FixtureFile[] {
  return below(repository, join(repository, '.piton/worktrees')).filter(({ path, text }) => {
    const [, place, file] = /^(\.piton\/worktrees\/[^/]+\/[^/]+)\/(.*)$/.exec(path) ?? [];
    return file === undefined || file === '.git' || text !== committed(join(repository, place!), file);
  });
}

function committed(place: string, file: string): string | undefined {
  const { status, stdout } = spawnSync('git', ['show', `HEAD:${file}`], { cwd: place, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

/** Of attempts whose end is not in the journal. */
function spooled(repository: string, journal: string): FixtureFile[] {
  const spool = join(repository, '.piton/spool');
  const names = existsSync(spool) ? readdirSync(spool).filter((name) => !name.startsWith('.')) : [];
  const hasEnded = (attempt: string): boolean =>
    new RegExp(`"attempt\\.ended","task":"[^"]*","attempt":"${attempt}"`).test(journal);
  return names.filter((name) => !hasEnded(name)).flatMap((name) => below(repository, join(spool, name)));
}

/**
 * What git has, apart from the first commit, which many fixtures share. What is named somewhere and has no ref gets one for the
 * time being.
 */
function repositoryOf(repository: string, texts: string): Pick<Fixture, 'base' | 'repository'> {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: repository, encoding: 'utf8' });
  const type = (object: string): string =>
    spawnSync('git', ['cat-file', '-t', object], { cwd: repository, encoding: 'utf8' }).stdout.trim();
  const kept = new Set(git('rev-list', '--objects', '--no-object-names', '--all').split('\n'));
  for (const object of new Set(texts.match(/\b[0-9a-f]{40}\b/g) ?? [])) {
    const kind = kept.has(object) ? '' : type(object);
    const commit =
      kind === 'tree'
        ? git(
            '-c',
            'user.name=Ada',
            '-c',
            'user.email=ada@example.com',
            'commit-tree',
            '-m',
            'tree',
            object,
          ).trim()
        : object;
    if (kind === 'tree' || kind === 'commit') git('update-ref', `refs/fixture/${object}`, commit);
  }
  const base = git('rev-parse', 'main').trim();
  const shared = git('fast-export', 'main');
  return {
    base: { commit: base, text: shared },
    repository: git('fast-export', '--all', '^main', '--reference-excluded-parents').replace(
      /^reset refs\/heads\/main\nfrom .*\n\n?/m,
      '',
    ),
  };
}

/** Of worktrees in which something is staged. */
function indexesOf(repository: string): Fixture['indexes'] {
  const admin = join(repository, '.git/worktrees');
  const names = existsSync(admin) ? readdirSync(admin).sort() : [];
  return names.flatMap((name) => {
    const place = readFileSync(join(admin, name, 'gitdir'), 'utf8')
      .trim()
      .replace(/\/\.git$/, '');
    if (!existsSync(place)) return [];
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: place, encoding: 'utf8' });
    const isPlain = git('diff', '--cached', '--name-only') === '';
    return isPlain ? [] : [{ place: relative(repository, place), entries: git('ls-files', '--stage') }];
  });
}

/** How far the journal had come once, if it has lost its end. */
function lostHead(repository: string, length: number): Pick<Fixture, 'head'> {
  const heads = join(repository, '.piton/spool/.heads');
  const text = existsSync(heads)
    ? readdirSync(heads)
        .map((name) => readFileSync(join(heads, name), 'utf8'))
        .join('')
    : '';
  const found = [...text.matchAll(/^(\d+) ([0-9a-f]{64}) /gm)].map(([, seq, hash]) => ({
    seq: Number(seq),
    hash: hash!,
  }));
  const last = found.toSorted((a, b) => b.seq - a.seq)[0];
  return last === undefined || last.seq <= length ? {} : { head: last };
}
