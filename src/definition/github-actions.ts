/** An action of GitHub, such as `actions/checkout@v4`, and what takes its place. */
export interface Action {
  /** Without its version. */
  readonly name: string;
  readonly kind: 'checkout' | 'tool' | 'cache' | 'upload' | 'download' | 'other';
  /** Of a tool: what has to be installed. */
  readonly tool?: string;
}

const tools: Readonly<Record<string, string>> = {
  'actions/setup-node': 'node',
  'actions/setup-python': 'python',
  'actions/setup-go': 'go',
  'actions/setup-java': 'java',
  'actions/setup-dotnet': 'dotnet',
  'ruby/setup-ruby': 'ruby',
  'pnpm/action-setup': 'pnpm',
  'oven-sh/setup-bun': 'bun',
  'denoland/setup-deno': 'deno',
  'astral-sh/setup-uv': 'uv',
  'shivammathur/setup-php': 'php',
  'dtolnay/rust-toolchain': 'rust',
  'actions-rs/toolchain': 'rust',
  'actions-rust-lang/setup-rust-toolchain': 'rust',
  'docker/setup-buildx-action': 'docker',
  'docker/setup-qemu-action': 'docker',
};

const kinds: Readonly<Record<string, Action['kind']>> = {
  'actions/checkout': 'checkout',
  'actions/cache': 'cache',
  'actions/cache/restore': 'cache',
  'actions/cache/save': 'cache',
  'Swatinem/rust-cache': 'cache',
  'actions/upload-artifact': 'upload',
  'actions/download-artifact': 'download',
};

/** Undefined if it looks like a path, and not like an action. */
export function actionOf(uses: string): Action | undefined {
  const [name = ''] = uses.split('@', 1);
  if (!uses.includes('@') && !uses.startsWith('docker:')) return undefined;
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool !== undefined) return { name, kind: 'tool', tool };
  return { name, kind: Object.hasOwn(kinds, name) ? kinds[name]! : 'other' };
}

/** What to write instead. */
export function replacementOf({ kind, tool }: Action): string {
  switch (kind) {
    case 'checkout':
      return 'Remove it: a task starts in the files of the repository.';
    case 'tool':
      return `Remove it: tasks use the ${tool} of this machine.`;
    case 'cache':
      return 'Remove it: what is cached on this machine stays there. For a folder in the repository: `setup: { caches: [.turbo] }`.';
    case 'upload':
      return 'Write `artifacts: [dist]` on the task that makes them.';
    case 'download':
      return 'Remove it: tasks find the `artifacts` of those that they need.';
    case 'other':
      return 'Write the command that it runs, as `run`.';
  }
}
