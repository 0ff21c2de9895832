/** The program that Claude Code asks for permission, as the CLI starts it: by a shell, the call on standard input. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { agentNamed, type AskedCall } from '../../src/agents/index.ts';
import { requestOf } from '../contracts/agent.ts';

const claude = agentNamed('claude');

interface Settings {
  readonly hooks: {
    readonly PermissionRequest: readonly [{ readonly hooks: readonly [{ command: string }] }];
  };
}

function hookFor(allowed: readonly AskedCall[]): string {
  const { argv } = claude.command(requestOf({ permissions: 'edit', allowed }));
  const settings = JSON.parse(argv[argv.indexOf('--settings') + 1]!) as Settings;
  return settings.hooks.PermissionRequest[0].hooks[0].command;
}

function decide(call: AskedCall, allowed: readonly AskedCall[]): unknown {
  const input = JSON.stringify({ tool_name: call.tool, tool_input: call.input, session_id: 'x' });
  const { stdout } = spawnSync('sh', ['-c', hookFor(allowed)], { input, encoding: 'utf8' });
  const answer = JSON.parse(stdout) as { hookSpecificOutput: { decision: { behavior: string } } };
  return answer.hookSpecificOutput.decision.behavior;
}

const command = (text: string, more: object = {}): AskedCall => ({
  tool: 'Bash',
  input: { command: text, ...more },
});

describe('the permission hook', () => {
  test('stops the turn at a call that nobody has allowed', () => {
    const { stdout } = spawnSync('sh', ['-c', hookFor([])], {
      input: JSON.stringify({ tool_name: 'Bash', tool_input: { command: 'make' } }),
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'deny', interrupt: true },
      },
    });
  });

  test('lets pass what was allowed, whatever the order of the keys and the words that describe it', () => {
    const allowed = [command("echo 'it''s' > a", { timeout: 5, description: 'as told' })];
    const again: AskedCall = {
      tool: 'Bash',
      input: { description: 'once more', timeout: 5, command: "echo 'it''s' > a" },
    };
    expect(decide(again, allowed)).toBe('allow');
  });

  test.each([
    ['another command', command('make all; rm x')],
    ['more than the command', command('make all', { run_in_background: true })],
    ['another tool', { tool: 'PowerShell', input: { command: 'make all' } }],
  ])('does not let pass %s', (_, call) => {
    expect(decide(call, [command('make all')])).toBe('deny');
  });

  test('lets pass a check word for word, also one that no rule of the CLI could name', () => {
    const { argv } = claude.command(requestOf({ permissions: 'edit', allowedCommands: ['sh *.sh'] }));
    const settings = JSON.parse(argv[argv.indexOf('--settings') + 1]!) as Settings;
    const decided = (text: string): string =>
      spawnSync('sh', ['-c', settings.hooks.PermissionRequest[0].hooks[0].command], {
        input: JSON.stringify({ tool_name: 'Bash', tool_input: { command: text, description: 'x' } }),
        encoding: 'utf8',
      }).stdout;
    expect(decided('sh *.sh')).toContain('"allow"');
    expect(decided('sh evil.sh')).toContain('"deny"');
  });

  test('takes a description for what it is where it is not about a command', () => {
    const issue = (description: string): AskedCall => ({
      tool: 'mcp__tracker__create',
      input: { title: 'a', description },
    });
    expect(decide(issue('harmless'), [issue('harmless')])).toBe('allow');
    expect(decide(issue('other'), [issue('harmless')])).toBe('deny');
  });

  test('has nothing in its command line that an agent could change, and none of the words of a call', () => {
    const { argv, files } = claude.command(requestOf({ allowed: [command('touch ALBATROSS')] }));
    expect(argv.join(' ')).not.toContain('ALBATROSS');
    expect(files).toEqual({});
  });

  test('is told of in the prompt of the session that goes on', () => {
    const { input } = claude.command(requestOf({ allowed: [command('touch ALBATROSS')] }));
    expect(input).toContain('- Bash {"command":"touch ALBATROSS"}');
    expect(claude.command(requestOf()).input).toBe(requestOf().prompt);
  });
});
