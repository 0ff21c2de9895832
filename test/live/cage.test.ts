/** What an agent may not do under `edit`, whatever its model wants: with the real CLIs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AgentEvent } from '../../src/agents/index.ts';
import { testedClis, type AgentCliName } from '../support/agent-clis.ts';
import { agentHome, type AgentHome } from '../support/agent-home.ts';
import { agentTurn } from '../support/agent-turn.ts';
import { startModelServer } from '../support/model-server/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function prepare(cli: AgentCliName): Promise<AgentHome> {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  return agentHome(cli, { root: temporaryFolder(), model: server.url });
}

/** Who has not tried has not been hindered either. */
function hasTried(events: readonly AgentEvent[]): boolean {
  return events.some((event) => event.type === 'tool-finished' && event.isError);
}

/** The name of its shell tool. */
const shells: Readonly<Record<string, string>> = {
  claude: 'Bash',
  gemini: 'run_shell_command',
  opencode: 'bash',
};

const clis = testedClis().map(({ name }) => name);

describe.each(clis.filter((name) => name in shells))('%s, under `edit`,', (name) => {
  const shell = (input: object): string => `[[tool:${shells[name]}=${JSON.stringify(input)}]] [[say:x]]`;

  test.each([
    'opencode.json',
    '.opencode/plugin/a.js',
    'sub/.codex/config.toml',
    '.git/config',
    '.github/workflows/a.yaml',
  ])('does not write %s, which agents or git obey', async (file) => {
    const place = await prepare(name);
    const path = join(place.project, file);
    expect(hasTried(await agentTurn(place, { prompt: `[[edit:${path}=x]] [[say:x]]` }))).toBe(true);
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    ['a command that only looks like the check', { command: 'sh other.sh', description: 'x' }],
    [
      'a command beside the check',
      { command: 'sh other.sh', description: 'x', more: { command: 'sh *.sh' } },
    ],
  ])('does not run %s', async (_, input) => {
    const place = await prepare(name);
    writeFileSync(join(place.project, 'other.sh'), 'touch done');
    await agentTurn(place, { allowedCommands: ['sh *.sh'], prompt: shell(input) });
    expect(existsSync(join(place.project, 'done'))).toBe(false);
  });

  test('runs its check, also one of several commands', async () => {
    const place = await prepare(name);
    const check = 'node --version && sh check.sh';
    writeFileSync(join(place.project, 'check.sh'), 'touch done');
    const events = await agentTurn(place, {
      allowedCommands: [check],
      prompt: shell({ command: check, description: 'x' }),
    });
    expect(events.at(-1)).toMatchObject({ type: 'result' });
    expect(existsSync(join(place.project, 'done'))).toBe(true);
  });
});

describe.each(clis)('%s, under `edit` in a worktree of Piton, which lies below `.piton`,', (name) => {
  async function inWorktree(): Promise<AgentHome> {
    const place = await prepare(name);
    const project = join(place.project, '.piton/worktrees/r1/build');
    mkdirSync(project, { recursive: true });
    execFileSync('git', ['init', '--quiet', project]);
    return { ...place, project };
  }

  test('writes its own files, but not the settings of Piton there', async () => {
    const place = await inWorktree();
    const [own, settings] = [join(place.project, 'a.txt'), join(place.project, '.piton/config.yaml')];
    await agentTurn(place, { prompt: `[[edit:${own}=x]] [[edit:${settings}=x]] [[say:x]]` });
    expect([existsSync(own), existsSync(settings)]).toEqual([true, false]);
  });

  test('writes what its task names in so many words', async () => {
    const place = await inWorktree();
    const workflow = join(place.project, '.github/workflows/a.yaml');
    const writes = ['.github/workflows/**'];
    await agentTurn(place, { writes, prompt: `[[edit:${workflow}=x]] [[say:x]]` });
    expect(existsSync(workflow)).toBe(true);
  });
});
