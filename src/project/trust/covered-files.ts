import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { askGit, asError, hasCode, PitonError } from '../../base/index.ts';
import { isObeyed } from '../../model/index.ts';

/** What trust covers, by path from the project, as it is now. */
export type CoveredFiles = ReadonlyMap<string, string>;

export const configFile = '.piton/config.yaml';
/** Of this only what starts programs. */
const gitConfig = '.git/config';

/**
 * What agents obey as soon as they are started in a folder, without the question that they ask a person: hooks, servers,
 * permissions, plugins. What these name in turn (a script, a package) is code of the repository like all other.
 */
const files = [
  '.mcp.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.gemini/.env',
  '.gemini/settings.json',
  'opencode.json',
  'opencode.jsonc',
  '.opencode/opencode.json',
  '.opencode/opencode.jsonc',
];
const folders = [
  '.claude/agents',
  '.claude/hooks',
  '.claude/plugins',
  '.claude/skills',
  '.codex/rules',
  '.gemini/extensions',
  '.gemini/hooks',
  '.gemini/policies',
  '.opencode/agent',
  '.opencode/agents',
  '.opencode/plugin',
  '.opencode/plugins',
  '.opencode/tool',
  '.opencode/tools',
];
const mostFiles = 2_000;
const mostBytes = 4 * 1024 * 1024;

/** `config`: the text of the configuration as it was read, so that what is judged is what is used. Throws `TRUST_REFUSED`. */
export function coveredFiles(root: string, config: string | undefined): CoveredFiles {
  const found = new Map<string, string>(config === undefined ? [] : [[configFile, config]]);
  let room = mostBytes;
  for (const file of foldersUpwards(root).flatMap((up) => namesFrom(root, up))) {
    const text = textOf(join(root, file));
    if (text === undefined) continue;
    room -= text.length;
    found.set(file, text);
    if (room < 0 || found.size > mostFiles) throw tooMuch(root);
  }
  const obeyed = obeyedByGit(root);
  if (obeyed !== '') found.set(gitConfig, obeyed);
  return found;
}

/**
 * Programs of the repository's own configuration that Piton's git would start: a clone brings none, but an unpacked archive does, and
 * whoever works in a worktree can write them. With what it includes.
 */
function obeyedByGit(root: string): string {
  const entries = configOf(root).flatMap((entry) => {
    const [key = '', ...value] = entry.split('\n');
    return isObeyed(key) ? [`${key} = ${value.join(' ')}`] : [];
  });
  return entries.join('\n');
}

/** In a worktree that was added, conditions may hold that do not hold in the repository itself, which Piton's git asks; and the other way round. */
function configOf(root: string): string[] {
  const list = ['config', '--local', '--includes', '--list', '-z'];
  const here = (askGit(list, root) ?? '').split('\0');
  if (!here.some((entry) => entry.startsWith('includeif.'))) return here;
  const common = (askGit(['rev-parse', '--git-common-dir'], root) ?? '').replace(/\n$/, '');
  const there = (askGit([`--git-dir=${common}`, ...list], root) ?? '').split('\0');
  return [...here, ...there.filter((entry) => !here.includes(entry))];
}

/** Some agents obey what lies above the folder that they work in, up to the repository. By the way from the project to each. */
function foldersUpwards(root: string): string[] {
  const ways = [''];
  for (let folder = root; !existsSync(join(folder, '.git')); folder = dirname(folder)) {
    // Not in a repository: then nothing above belongs to it.
    if (dirname(folder) === folder) return [''];
    ways.push(`${ways.at(-1)}../`);
  }
  return ways;
}

function namesFrom(root: string, up: string): string[] {
  return [...files, ...folders.flatMap((folder) => filesIn(join(root, up), folder))].map((name) => up + name);
}

/** Links are not followed: they could lead in circles. More than may be there need not be found. */
function filesIn(root: string, folder: string): string[] {
  const found: string[] = [];
  const open = [folder];
  while (open.length > 0 && found.length <= mostFiles) {
    const next = open.shift()!;
    for (const entry of entriesIn(join(root, next))) {
      const path = `${next}/${entry.name}`;
      if (!entry.isDirectory()) found.push(path);
      else if (entry.name !== 'node_modules') open.push(path);
    }
  }
  return found;
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return [];
    throw unreadable(folder, error);
  }
}

/** Undefined for what is no file: a pipe would be waited for, and a device never ends. What a link leads to is shown as such. */
function textOf(file: string): string | undefined {
  try {
    const found = statSync(file);
    if (!found.isFile()) return linkText(file);
    return found.size > mostBytes ? ' '.repeat(mostBytes + 1) : readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw unreadable(file, error);
  }
}

/** A folder behind a link is not looked into: it may be anywhere. */
function linkText(file: string): string | undefined {
  return lstatSync(file).isSymbolicLink() ? `(a link to ${readlinkSync(file)})` : undefined;
}

/** What cannot be read cannot be shown, and an agent may be able to read it later. */
function unreadable(file: string, cause: unknown): PitonError {
  const message = `${file} cannot be read: ${asError(cause).message}, so nobody can say what would be trusted.`;
  return new PitonError('TRUST_REFUSED', message, { file, cause, remedy: 'Make it readable, or remove it.' });
}

function tooMuch(root: string): PitonError {
  const message = `The settings of agents in ${root} are more than anybody could look through.`;
  const remedy = 'Remove what is not needed there, or trust it for one call: PITON_TRUST=1.';
  return new PitonError('TRUST_REFUSED', message, { root, remedy });
}
