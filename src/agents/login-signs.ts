import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, unknown>>;

/** What tells that somebody has logged in, or that the CLI was told to ask elsewhere. */
interface Row {
  /** Any of them set. */
  readonly variables: readonly string[];
  /** `VARIABLE:folder in the home without it`. */
  readonly folder: string;
  /** Any of them in that folder; the first is that of the login itself. */
  readonly files: readonly string[];
}

const rows: Readonly<Record<string, Row>> = {
  claude: {
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'CLAUDE_CODE_USE_FOUNDRY',
    ],
    folder: 'CLAUDE_CONFIG_DIR:.claude',
    // Settings may name a program that gives the key.
    files: ['.credentials.json', 'settings.json'],
  },
  codex: {
    variables: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL', 'AZURE_OPENAI_API_KEY'],
    folder: 'CODEX_HOME:.codex',
    // Settings may name another provider.
    files: ['auth.json', 'config.toml'],
  },
  gemini: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
    folder: ':.gemini',
    files: ['oauth_creds.json', 'settings.json', '.env'],
  },
};

export interface LoginSigns {
  readonly isFound: boolean;
  /** For people: what would be there. */
  readonly lookedFor: readonly string[];
}

/** Whether there are signs of a login, without starting anything. Undefined: of that agent nobody can tell. */
export function loginSigns(agent: string, environment: Environment): LoginSigns | undefined {
  const row = rows[agent];
  // There it is kept in the keychain.
  if (row === undefined || process.platform === 'darwin') return undefined;
  const [variable = '', standard = ''] = row.folder.split(':');
  const own = environment[variable];
  const home = typeof environment['HOME'] === 'string' ? environment['HOME'] : homedir();
  const folder = typeof own === 'string' && own !== '' ? own : join(home, standard);
  const isFound =
    row.variables.some((name) => (environment[name] ?? '') !== '') ||
    row.files.some((name) => existsSync(join(folder, name)));
  return { isFound, lookedFor: [`${row.variables[0]} in the environment`, join(folder, row.files[0]!)] };
}
