import { join } from 'node:path';
import { stateFolder } from '../base/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface AgentFolders {
  /** Where it keeps its sessions, its logs and its login. */
  readonly sessions: readonly string[];
  /** Inside of these: what it obeys when it starts, or runs. */
  readonly settings: readonly string[];
  /** Scripts that are run by whoever made them: each attempt has its own. */
  readonly apart: readonly string[];
}

/** Folders as `VARIABLE:way from the home without it`; the rest in the same way, or as names in the first folder. */
interface Row {
  readonly folders: readonly string[];
  /** Only these in it may be written; absent: all of it, but for the settings. */
  readonly own?: readonly string[];
  readonly settings?: readonly string[];
  readonly apart?: readonly string[];
}

const rows: Readonly<Record<string, Row>> = {
  // Its other folders and files are hooks, plugins, commands and settings.
  claude: {
    apart: ['session-env', 'shell-snapshots'],
    folders: ['CLAUDE_CONFIG_DIR:.claude'],
    own: [
      'projects',
      'todos',
      'tasks',
      'plans',
      'statsig',
      'telemetry',
      'debug',
      'cache',
      'file-history',
      'history.jsonl',
      '.credentials.json',
    ],
  },
  codex: {
    apart: ['shell_snapshots'],
    folders: ['CODEX_HOME:.codex'],
    settings: [
      'config.toml',
      'AGENTS.md',
      'AGENTS.override.md',
      'hooks.json',
      'rules',
      'prompts',
      'skills',
      'agents',
      'plugins',
    ],
  },
  gemini: {
    folders: [':.gemini'],
    settings: [
      'tmp/bin',
      'settings.json',
      'trustedFolders.json',
      'GEMINI.md',
      '.env',
      'policies',
      'extensions',
      'commands',
      'hooks',
      'skills',
      'agents',
    ],
  },
  opencode: {
    folders: [
      'XDG_DATA_HOME/opencode:.local/share/opencode',
      'XDG_STATE_HOME/opencode:.local/state/opencode',
      'XDG_CACHE_HOME/opencode:.cache/opencode',
      'XDG_CONFIG_HOME/opencode:.config/opencode',
    ],
    settings: [
      'bin',
      // It does not start if it cannot write in the folder of its settings.
      ...[
        'opencode.json',
        'opencode.jsonc',
        'config.json',
        'AGENTS.md',
        'package.json',
        'node_modules',
        'plugin',
        'plugins',
        'agent',
        'agents',
        'command',
        'commands',
        'tool',
        'tools',
        'skill',
        'skills',
      ].map((name) => `XDG_CONFIG_HOME/opencode/${name}:.config/opencode/${name}`),
    ],
  },
  goose: {
    folders: ['XDG_DATA_HOME/goose:.local/share/goose', 'XDG_STATE_HOME/goose:.local/state/goose'],
  },
};

/** Which of them a command line starts, itself or by a package runner: `npx @google/gemini-cli`. */
export function agentAmong(words: readonly string[]): string | undefined {
  const isNamed = (name: string): boolean =>
    words.some((word) => word.split('/').some((part) => new RegExp(`^${name}(-|@|$)`).test(part)));
  return Object.keys(rows).find(isNamed);
}

/** Of agents that are not listed nothing is known, and they are given nothing. */
export function foldersOf(agent: string | undefined, env: Environment): AgentFolders {
  if (agent === 'scripted') {
    return {
      sessions: [env['PITON_SCRIPTED_HOME'] ?? stateFolder('scripted', env)],
      settings: [],
      apart: [],
    };
  }
  const row = agent === undefined || !Object.hasOwn(rows, agent) ? undefined : rows[agent];
  if (row === undefined) return { sessions: [], settings: [], apart: [] };
  const folders = row.folders.map((folder) => locate(folder, env));
  const within = (names: readonly string[]): string[] =>
    names.map((name) => (name.includes(':') ? locate(name, env) : join(folders[0]!, name)));
  return {
    sessions: row.own === undefined ? folders : within(row.own),
    settings: within(row.settings ?? []),
    apart: within(row.apart ?? []),
  };
}

/** What has once been fetched is there for the next. Not what package managers install as programs, or obey. */
const caches = [
  'npm_config_cache:.npm',
  'PNPM_HOME/store:.local/share/pnpm/store',
  'XDG_CACHE_HOME/pnpm:.cache/pnpm',
  'XDG_CACHE_HOME/yarn:.cache/yarn',
  'YARN_CACHE_FOLDER:.yarn/berry/cache',
  'CARGO_HOME/registry:.cargo/registry',
  'CARGO_HOME/git:.cargo/git',
  'GOMODCACHE:go/pkg/mod',
  'GOCACHE:.cache/go-build',
  'PIP_CACHE_DIR:.cache/pip',
  'UV_CACHE_DIR:.cache/uv',
  'GRADLE_USER_HOME/caches:.gradle/caches',
];

export function packageCaches(env: Environment): string[] {
  return caches.map((folder) => locate(folder, env));
}

/** Programs that npx has fetched: they are run again without being checked. */
export function fetchedPrograms(env: Environment): string[] {
  return [join(locate('npm_config_cache:.npm', env), '_npx')];
}

/** Those that are not there cannot be made in the sandbox: where a variable can say so, they are in the temporary folder. */
export function cachesInstead(
  env: Environment,
  isThere: (folder: string) => boolean,
): Record<string, string> {
  const missing = caches.filter(
    (folder) => !folder.split(':')[0]!.includes('/') && !isThere(locate(folder, env)),
  );
  return Object.fromEntries(
    missing.map((folder) => {
      const variable = folder.split(':')[0]!;
      return [variable, `/tmp/.caches/${variable}`];
    }),
  );
}

function locate(folder: string, env: Environment): string {
  const [known = '', fromHome = ''] = folder.split(':');
  const [variable = '', ...way] = known.split('/');
  const value = env[variable];
  return value === undefined || value === '' ? join(env['HOME'] ?? '/', fromHome) : join(value, ...way);
}
