import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { sha256, withOwnPath } from '../base/index.ts';
import type { Failure } from '../model/index.ts';

const run = promisify(execFile);

/** With more changed files than that, or longer ones, it is not worth knowing. */
const mostFiles = 5_000;
const longestFile = 16 * 1024 * 1024;

/**
 * A failure and the files it left, in short: if the same comes again, trying has changed nothing. Undefined where the
 * files cannot be told apart: outside of git.
 */
export async function samenessOf({
  failure,
  said,
  directory,
}: {
  readonly failure: Failure;
  readonly said: string;
  readonly directory: string | undefined;
}): Promise<string | undefined> {
  const tree = directory === undefined ? undefined : await treeOf(directory);
  return tree === undefined ? undefined : sha256(`${failure.code}\n${bare(said)}\n${tree}`);
}

/** What Piton keeps there is no work of the agent. */
const ownFiles = ['--', '.', ':(exclude,glob)**/.piton/**'];
const indexed = ['ls-files', '--stage', '--debug', '-z', ...ownFiles];
const untracked = ['ls-files', '--others', '--exclude-standard', '-z', ...ownFiles];

/** Without what differs from time to time: colours, numbers, durations. */
function bare(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\d+/g, '0').replaceAll(/\s+/g, ' ');
}

/** The state of the files below a folder, as git sees them; changes nothing, not even the index. */
async function treeOf(directory: string): Promise<string | undefined> {
  try {
    const entries = readEntries(await git(directory, indexed));
    const files = await changedFiles(directory, entries);
    if (files.length > mostFiles) return undefined;
    const hash = createHash('sha256');
    for (const { facts, path } of entries) hash.update(`${facts} ${path}\0`);
    for (const file of files) hash.update(`${file}\0${contentOf(join(directory, file))}\0`);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}

/** The files that differ from a commit, in the folder or in what was committed there since; undefined outside of git. */
export async function filesChangedSince(
  base: string,
  directory: string,
): Promise<readonly string[] | undefined> {
  try {
    const args = ['diff', '--name-only', '--no-ext-diff', '--no-renames', '--ignore-submodules', '-z'];
    const committed = await git(directory, [...args, base, 'HEAD']);
    const changed = await changedFiles(directory, readEntries(await git(directory, indexed)));
    return [...new Set([...committed.split('\0'), ...changed])].filter((file) => file !== '').sort();
  } catch {
    return undefined;
  }
}

/** A file as the index has it. */
interface Entry {
  readonly path: string;
  /** Mode, object and stage. */
  readonly facts: string;
  readonly object: string;
  /** Size and time of change, as it was last looked at. */
  readonly seen: string;
}

function readEntries(text: string): readonly Entry[] {
  const pattern =
    /([0-7]+ ([0-9a-f]+) \d)\t([^\0]+)\0 +ctime: .*\n +mtime: (\d+):(\d+)\n.*\n.*\n +size: (\d+)\t.*\n/g;
  return [...text.matchAll(pattern)].map(([, facts, object, path, seconds, nanos, size]) => ({
    path: path!,
    facts: facts!,
    object: object!,
    seen: `${size} ${BigInt(seconds!) * 1_000_000_000n + BigInt(nanos!)}`,
  }));
}

/**
 * Those that differ from the index, and those that it does not have. Git itself would start the filters that the repository names, and
 * an agent may have named them: so it is asked only for what it knows without looking into files.
 */
async function changedFiles(directory: string, entries: readonly Entry[]): Promise<readonly string[]> {
  const others = (await git(directory, untracked)).split('\0').filter((file) => file !== '');
  const changed = entries.filter((entry) => isChanged(directory, entry)).map(({ path }) => path);
  return [...new Set([...changed, ...others])].sort();
}

function isChanged(directory: string, { path, facts, object, seen }: Entry): boolean {
  const file = join(directory, path);
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return true;
  if (facts.startsWith('160000 ') || `${found.size} ${found.mtimeNs}` === seen) return false;
  if (found.isSymbolicLink()) return nameOf(readlinkSync(file, 'buffer'), object) !== object;
  if (!found.isFile() || found.size > longestFile) return true;
  return nameOf(readFileSync(file), object) !== object;
}

/** As git would name it. */
function nameOf(content: Buffer, like: string): string {
  const hash = createHash(like.length === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

const withoutPrograms = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
const alone = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
};

async function git(directory: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', directory, ...withoutPrograms, ...args], {
    timeout: 20_000,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...withOwnPath(process.env), ...alone },
  });
  return stdout;
}

function contentOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 'gone';
  if (!found.isFile() || found.size > longestFile) return `${found.size} ${found.mtimeMs}`;
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
