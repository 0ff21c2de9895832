import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { testedClis } from '../support/agent-clis.ts';
import { lastConversation, livePlace } from '../support/live-agents.ts';

function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

function makeRepository(folder: string): void {
  git(folder, 'init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git(folder, 'add', 'a.txt');
  git(folder, 'commit', '-qm', 'first');
}

const earlier = {
  'in a worktree that is gone': {
    permissions: 'full',
    prompt: 'Begin. [[shell:echo made > made]] [[say:I saw a walrus]]',
  },
  'in the folder of the run': { permissions: 'read', prompt: 'Look. [[say:I saw a walrus]]' },
};

const cases = testedClis().flatMap(({ name: agent }) =>
  (agentNamed(agent).traits.sessions === 'fork' ? ['continue', 'fork'] : ['continue']).flatMap((how) =>
    Object.entries(earlier).map(([where, first]) => ({ agent, how, where, first })),
  ),
);

describe('a conversation begun elsewhere', () => {
  test.each(cases)('goes on in the worktree of the next task: $agent, $how, begun $where', async (given) => {
    const { agent, how, first } = given;
    const { run, project, server } = await livePlace([agent]);
    makeRepository(project);
    const started = await run({
      first: { agent, ...first },
      second: {
        agent,
        permissions: 'full',
        needs: ['first'],
        session: { [how]: 'first' },
        prompt: 'Go on. [[shell:pwd > where]] [[say:went on]]',
      },
    });

    expect(await started.result()).toMatchObject({ outputs: { second: 'went on' } });
    expect(existsSync(join(project, 'where'))).toBe(false);
    expect(git(project, 'show', 'piton/run:where')).toMatch(/\/worktrees\/run\/second$/);
    expect(lastConversation(server)).toContain('walrus');
  });
});
