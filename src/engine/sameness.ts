import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { sha256 } from '../base/index.ts';
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
const changedFiles = [
  'ls-files',
  '--modified',
  '--others',
  '--exclude-standard',
  '-z',
  '--',
  '.',
  ':(exclude,glob)**/.piton/**',
];

/** Without what differs from time to time: colours, numbers, durations. */
function bare(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\d+/g, '0').replaceAll(/\s+/g, ' ');
}

/** The state of the files below a folder, as git sees them; changes nothing, not even the index. */
async function treeOf(directory: string): Promise<string | undefined> {
  try {
    const staged = await git(directory, ['ls-files', '--stage', '-z']);
    const changed = await git(directory, changedFiles);
    const files = [...new Set(changed.split('\0'))].filter((file) => file !== '').sort();
    if (files.length > mostFiles) return undefined;
    const hash = createHash('sha256').update(staged);
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
    const committed = await git(directory, ['diff', '--name-only', '--no-ext-diff', '-z', base, 'HEAD']);
    const changed = await git(directory, changedFiles);
    return [...new Set([...committed.split('\0'), ...changed.split('\0')])]
      .filter((file) => file !== '')
      .sort();
  } catch {
    return undefined;
  }
}

/**
 * The repository's own settings may name programs, and an agent may have written them: only what starts none is asked, which is why
 * files are compared with the index here and not by git.
 */
const withoutPrograms = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

async function git(directory: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', directory, ...withoutPrograms, ...args], {
    timeout: 20_000,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
  });
  return stdout;
}

function contentOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 'gone';
  if (!found.isFile() || found.size > longestFile) return `${found.size} ${found.mtimeMs}`;
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
