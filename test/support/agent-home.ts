/** A world of its own for one CLI: empty home, complete environment, the loopback as its model, nothing of the person's. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { binFolder, searchPath, type AgentCliName } from './agent-clis.ts';

export interface AgentHome {
  readonly cli: AgentCliName;
  /** The program, as an absolute path. */
  readonly executable: string;
  /** Where the agent works: an empty folder. */
  readonly project: string;
  readonly home: string;
  /** All of the environment, as after `env -i`. */
  readonly env: Readonly<Record<string, string>>;
}

export interface AgentHomeOptions {
  /** Everything is put below it. */
  readonly root: string;
  /** Address of the model server. */
  readonly model: string;
  /** Claude Code as a subscriber, who is told when a limit ends, instead of by key. */
  readonly isSubscriber?: boolean;
}

export function agentHome(cli: AgentCliName, options: AgentHomeOptions): AgentHome {
  const home = join(options.root, 'home');
  const project = join(options.root, 'project');
  const temporary = join(options.root, 'tmp');
  for (const folder of [home, project, temporary]) mkdirSync(folder, { recursive: true });
  const { env, files } = worlds[cli](home, options);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return {
    cli,
    executable: join(binFolder(cli), cli),
    project,
    home,
    // Temporary files too: Gemini CLI writes a report of each failure there.
    env: { PATH: searchPath(cli), HOME: home, TMPDIR: temporary, LANG: 'C.UTF-8', TZ: 'UTC', ...env },
  };
}

interface World {
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

const worlds: Readonly<Record<AgentCliName, (home: string, options: AgentHomeOptions) => World>> = {
  claude: (home, { model, isSubscriber }) => ({
    env: {
      CLAUDE_CONFIG_DIR: join(home, 'claude'),
      ANTHROPIC_BASE_URL: model,
      ...(isSubscriber ? { CLAUDE_CODE_OAUTH_TOKEN: 'none' } : { ANTHROPIC_API_KEY: 'none' }),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
    },
    files: {},
  }),
  codex: (home, { model }) => ({
    env: { CODEX_HOME: join(home, 'codex'), CODEX_LOOPBACK_KEY: 'none' },
    files: { [join(home, 'codex', 'config.toml')]: codexConfig(model) },
  }),
  gemini: (home, { model }) => ({
    // Without a fixed model it asks a second model which one to take.
    env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model, GEMINI_MODEL: 'gemini-2.5-flash' },
    files: { [join(home, '.gemini', 'settings.json')]: JSON.stringify(geminiSettings) },
  }),
  opencode: (home, { model }) => ({
    env: {
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_DATA_HOME: join(home, 'data'),
      XDG_CACHE_HOME: join(home, 'cache'),
      XDG_STATE_HOME: join(home, 'state'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
    files: {
      [join(home, 'config', 'opencode', 'opencode.json')]: JSON.stringify(openCodeConfig(model)),
      ...openCodePackages(join(home, 'config', 'opencode')),
    },
  }),
};

function codexConfig(model: string): string {
  return [
    'model = "gpt-5.5"',
    'model_provider = "loopback"',
    'check_for_update_on_startup = false',
    '[analytics]',
    'enabled = false',
    '[model_providers.loopback]',
    'name = "loopback"',
    `base_url = "${model}/v1"`,
    'env_key = "CODEX_LOOPBACK_KEY"',
    'wire_api = "responses"',
    'request_max_retries = 0',
    'stream_max_retries = 0',
    '',
  ].join('\n');
}

const geminiSettings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

/** As if it had installed what it installs for plugins, a hundred megabytes from the registry. */
function openCodePackages(folder: string): Readonly<Record<string, string>> {
  const dependencies = { '@opencode-ai/plugin': '*' };
  return {
    [join(folder, 'package.json')]: JSON.stringify({ dependencies }),
    [join(folder, 'package-lock.json')]: JSON.stringify({ packages: { '': { dependencies } } }),
    [join(folder, 'node_modules', '.package-lock.json')]: '{}',
  };
}

function openCodeConfig(model: string): unknown {
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'loopback/scripted',
    provider: {
      loopback: {
        npm: '@ai-sdk/openai-compatible',
        name: 'loopback',
        options: { baseURL: `${model}/v1`, apiKey: 'none' },
        models: { scripted: { name: 'scripted', limit: { context: 200_000, output: 8000 } } },
      },
    },
  };
}
