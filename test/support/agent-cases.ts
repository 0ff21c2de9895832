/** What is recorded of each CLI: the same happenings, in its own words. The command lines are those of the CLI, not of an adapter. */
import { agentNamed, type AgentRequest } from '../../src/agents/index.ts';
import type { AgentCliName } from './agent-clis.ts';

export interface AgentCase {
  readonly name: string;
  readonly prompt: string;
  readonly permissions: 'read' | 'edit' | 'full';
  readonly extra?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly isSubscriber?: boolean;
  /** Killed with -9 there, and then asked to go on. */
  readonly killed?: 'answer' | 'tool';
  /** Ended by us after so long: the CLI waits by itself, and says nothing. */
  readonly patienceMs?: number;
}

export const schema = {
  type: 'object',
  properties: { grade: { type: 'number' } },
  required: ['grade'],
  additionalProperties: false,
};

const common: readonly AgentCase[] = [
  { name: 'say', prompt: 'Greet. [[say:hello there]]', permissions: 'edit' },
  {
    name: 'shell',
    prompt: 'Look. [[say:Looking.]] [[shell:echo hi; echo trouble >&2; exit 3]] [[say:seen]]',
    permissions: 'full',
  },
  { name: 'edit', prompt: 'Write. [[edit:notes.txt=one\ntwo]] [[say:written]]', permissions: 'edit' },
  { name: 'auth', prompt: 'Greet. [[fail:401]]', permissions: 'edit' },
  { name: 'model-unknown', prompt: 'Greet. [[fail:404]]', permissions: 'edit' },
  { name: 'limit-unknown', prompt: 'Greet. [[limit:unknown]]', permissions: 'edit' },
  { name: 'truncated', prompt: 'Greet. [[cut:hel]]', permissions: 'edit' },
  { name: 'refused', prompt: 'Greet. [[refuse:no]]', permissions: 'edit' },
  { name: 'unsupported', prompt: 'Greet.', permissions: 'edit', extra: ['--unheard-of'] },
  {
    name: 'killed-answer',
    prompt: 'Greet slowly. [[say:hello]] [[stall:60]]',
    permissions: 'edit',
    killed: 'answer',
  },
  {
    name: 'killed-tool',
    prompt: 'Work slowly. [[shell:echo started > started.txt; sleep 60]] [[say:worked]]',
    permissions: 'full',
    killed: 'tool',
  },
];

const limit: AgentCase = { name: 'limit', prompt: 'Greet. [[limit:3600]]', permissions: 'edit' };
const denied: AgentCase = {
  name: 'denied',
  prompt: 'Write. [[edit:notes.txt=one]] [[say:tried]]',
  permissions: 'read',
};

export const agentCases: Readonly<Record<AgentCliName, readonly AgentCase[]>> = {
  claude: [
    ...common,
    denied,
    limit,
    { ...limit, name: 'limit-subscriber', isSubscriber: true },
    {
      name: 'max-turns',
      prompt: '[[shell:date -u]] [[say:seen]]',
      permissions: 'full',
      extra: ['--max-turns', '1'],
    },
    {
      name: 'budget',
      prompt: '[[shell:date -u]] [[say:seen]]',
      permissions: 'full',
      extra: ['--max-budget-usd', '0.0001'],
    },
    {
      name: 'structured',
      prompt: '[[json:{"grade":1}]]',
      permissions: 'edit',
      extra: ['--json-schema', JSON.stringify(schema)],
    },
    {
      name: 'structured-missing',
      prompt: '[[say:no]]',
      permissions: 'edit',
      extra: ['--json-schema', JSON.stringify(schema)],
    },
    {
      name: 'asked',
      prompt: 'Look. [[shell:sh -c "date > made"]] [[say:tried]]',
      permissions: 'edit',
      extra: askingHook(),
    },
    { name: 'retried', prompt: '[[fail:529:1]] [[say:hello]]', permissions: 'edit' },
  ],
  codex: [
    ...common,
    denied,
    limit,
    { ...limit, name: 'limit-next-day', prompt: 'Greet. [[limit:90000]]' },
    {
      name: 'structured',
      prompt: '[[json:{"grade":1}]]',
      permissions: 'edit',
      extra: ['--output-schema', 'SCHEMA'],
    },
  ],
  gemini: [
    ...common,
    denied,
    limit,
    {
      name: 'not-offered',
      prompt: '[[tool:run_shell_command={"command":"date"}]] [[say:tried]]',
      permissions: 'edit',
    },
  ],
  opencode: [
    ...common.filter((one) => one.name !== 'limit-unknown'),
    {
      name: 'denied',
      prompt: '[[shell:date -u]] [[say:tried]]',
      permissions: 'full',
      env: { OPENCODE_PERMISSION: '{"bash":{"*":"deny"}}' },
    },
    {
      name: 'denied-rule',
      prompt: '[[shell:make all]] [[say:tried]]',
      permissions: 'full',
      env: { OPENCODE_PERMISSION: '{"bash":{"*":"deny","date *":"allow"}}' },
    },
    {
      name: 'denied-ask',
      prompt: '[[shell:date -u]] [[say:tried]]',
      permissions: 'full',
      env: { OPENCODE_PERMISSION: '{"bash":"ask"}' },
    },
    { ...limit, patienceMs: 8000 },
  ],
};

/** The one option of ours: what is recorded is how the CLI takes the answer of our hook. */
function askingHook(): readonly string[] {
  const request: AgentRequest = {
    prompt: '',
    directory: '/',
    session: { type: 'new' },
    permissions: 'edit',
    allowedCommands: [],
    allowed: [],
    args: [],
    folder: '/',
  };
  const { argv } = agentNamed('claude').command(request);
  const place = argv.indexOf('--settings');
  return argv.slice(place, place + 2);
}

export interface LineOptions {
  readonly permissions: AgentCase['permissions'];
  readonly session: { readonly type: 'new' | 'continue'; readonly id: string };
  readonly project: string;
}

/** Arguments and added environment; the prompt always comes by standard input. */
export interface AgentLine {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export const agentLines: Readonly<Record<AgentCliName, (options: LineOptions) => AgentLine>> = {
  claude({ permissions, session }) {
    const flags = {
      read: ['--permission-mode', 'dontAsk'],
      edit: ['--permission-mode', 'acceptEdits'],
      // `bypassPermissions` is refused to root.
      full: [
        '--permission-mode',
        'dontAsk',
        '--allowedTools',
        'Bash,Edit,Write,NotebookEdit,WebFetch,WebSearch',
      ],
    };
    const id = session.type === 'new' ? ['--session-id', session.id] : ['--resume', session.id];
    return {
      args: ['-p', '--output-format', 'stream-json', '--verbose', ...id, ...flags[permissions]],
      env: {},
    };
  },
  codex({ permissions, session, project }) {
    const sandbox = { read: 'read-only', edit: 'workspace-write', full: 'danger-full-access' };
    const id = session.type === 'new' ? [] : ['resume', session.id];
    const options = ['--json', '--skip-git-repo-check', '-C', project, '-s', sandbox[permissions]];
    return { args: ['exec', ...options, ...id, '-'], env: {} };
  },
  gemini({ permissions, session }) {
    const mode = { read: 'plan', edit: 'auto_edit', full: 'yolo' };
    const id = session.type === 'new' ? ['--session-id', session.id] : ['--resume', session.id];
    return {
      args: ['-o', 'stream-json', '--skip-trust', '--approval-mode', mode[permissions], ...id],
      env: {},
    };
  },
  opencode({ permissions, session, project }) {
    const rules = {
      read: { edit: 'deny', bash: 'deny' },
      edit: { edit: 'allow', bash: 'deny' },
      full: { edit: 'allow', bash: 'allow' },
    };
    const id = session.type === 'new' ? [] : ['--session', session.id];
    return {
      args: ['run', '--format', 'json', '--dir', project, ...id],
      env: { OPENCODE_PERMISSION: JSON.stringify(rules[permissions]) },
    };
  },
};
