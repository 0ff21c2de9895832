/** What a policy becomes, in the words of each CLI: that the words differ is not enough. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentNamed, type AgentCommand, type Permissions } from '../../src/agents/index.ts';
import { requestOf } from '../contracts/agent.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function commandOf(agent: string, permissions: Permissions): AgentCommand {
  return agentNamed(agent).command(requestOf({ permissions, allowedCommands: ['npm test'] }));
}

/** The argument after a flag. */
function after(flag: string, { argv }: AgentCommand): string | undefined {
  return argv.includes(flag) ? argv[argv.indexOf(flag) + 1] : undefined;
}

describe('Claude Code', () => {
  test('that may read has no other tools', () => {
    const command = commandOf('claude', 'read');
    expect(after('--permission-mode', command)).toBe('default');
    expect(after('--tools', command)).toBe('Read,Glob,Grep,LS,NotebookRead,TodoWrite');
    expect(command.argv).not.toContain('--allowedTools');
  });

  test('that may edit is asked about all commands but the checks', () => {
    const command = commandOf('claude', 'edit');
    expect(after('--permission-mode', command)).toBe('acceptEdits');
    expect(after('--allowedTools', command)).toBe('Bash(npm test)');
    expect(command.argv).not.toContain('Bash');
  });
});

describe('Codex', () => {
  test.each([
    ['read', 'read-only'],
    ['full', 'danger-full-access'],
    [['workspace-write', 'network'], 'workspace-write'],
  ] as const)('that may %s is caged by the system, and never waits for an answer', (permissions, sandbox) => {
    const command = commandOf('codex', permissions);
    expect(after('--sandbox', command)).toBe(sandbox);
    expect(command.argv).toContain('approval_policy="never"');
    expect(command.argv.includes('sandbox_workspace_write.network_access=true')).toBe(
      permissions.includes('network'),
    );
  });
});

describe('Codex that may edit', () => {
  const settings = (directory: string, writes: readonly string[] = []): string[] => {
    const { argv } = agentNamed('codex').command(requestOf({ permissions: 'edit', directory, writes }));
    return argv.filter((_, index) => argv[index - 1] === '-c');
  };

  test('may not write what steers in its folder, which is told so that an older version takes its mode', () => {
    const directory = temporaryFolder();
    mkdirSync(join(directory, '.github/workflows'), { recursive: true });
    mkdirSync(join(directory, '.husky'));
    symlinkSync('.husky', join(directory, '.claude'));
    symlinkSync('.husky', join(directory, '.vscode'));
    const [mode, chosen, profile] = settings(directory);
    expect([mode, chosen]).toEqual(['sandbox_mode="workspace-write"', 'default_permissions="piton"']);
    // A link would make it refuse every command.
    expect(profile).toBe(
      'permissions.piton={extends=":workspace",filesystem={":project_roots"={".piton"="read",".husky"="read",".github/workflows"="read",".mcp.json"="read"}}}',
    );
  });

  test('may write what its task names in so many words', () => {
    expect(settings('/nowhere')[2]).toContain('".claude"="read"');
    expect(settings('/nowhere', ['.claude/**', '**'])[2]).not.toContain('.claude');
    expect(settings('/nowhere', ['.claude/**', '**'])[2]).toContain('".piton"="read"');
  });
});

describe('Gemini CLI', () => {
  test.each([
    ['read', 'default'],
    ['edit', 'auto_edit'],
    ['full', 'yolo'],
  ] as const)('that may %s is in its mode', (permissions, mode) => {
    expect(after('--approval-mode', commandOf('gemini', permissions))).toBe(mode);
  });

  test('is denied what steers agents whatever it is allowed besides', () => {
    const policy = commandOf('gemini', 'edit').files['gemini-policy.toml']!;
    const priorities = (decision: string): number[] =>
      [...policy.matchAll(new RegExp(`decision = "${decision}"\npriority = (\\d+)`, 'g'))].map(([, it]) =>
        Number(it),
      );
    expect(Math.min(...priorities('deny'))).toBeGreaterThan(Math.max(...priorities('allow')));
  });
});

describe('OpenCode', () => {
  const rulesOf = (permissions: Permissions): Record<string, unknown> =>
    JSON.parse(commandOf('opencode', permissions).env['OPENCODE_PERMISSION']!) as Record<string, unknown>;

  test('that may read is denied everything else', () => {
    const { '*': rest, ...allowed } = rulesOf('read');
    expect(rest).toBe('deny');
    expect(Object.keys(allowed).sort()).toEqual(['glob', 'grep', 'list', 'read', 'todowrite']);
  });

  test('that may edit is denied all commands but the checks', () => {
    expect(rulesOf('edit')).toMatchObject({ '*': 'deny', edit: { '*': 'allow' } });
    expect(rulesOf('edit')['bash']).toEqual({ '*': 'deny', 'npm test': 'allow' });
    expect(rulesOf('full')).toEqual({ '*': 'allow' });
  });
});

test.each([
  ['read', 'chat'],
  ['full', 'auto'],
] as const)('Goose that may %s is in its mode', (permissions, mode) => {
  expect(commandOf('goose', permissions).env['GOOSE_MODE']).toBe(mode);
});
