import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { installedVersion, testedClis, type AgentCliName } from '../support/agent-clis.ts';
import { eventually } from '../support/eventually.ts';
import { lastConversation, livePlace, sessionsOf, startsOf } from '../support/live-agents.ts';

/** What each CLI calls a write that it may not do: some have no such tool then, and the model cannot even try. */
const forbidden: Readonly<Record<AgentCliName, object>> = {
  claude: { permissions: 'edit', prompt: 'Look. [[shell:sh -c "date > made"]] [[say:tried]]' },
  codex: { permissions: 'read', prompt: 'Write. [[edit:made=one]] [[say:tried]]' },
  gemini: {
    permissions: 'edit',
    prompt: 'Look. [[tool:run_shell_command={"command":"touch made"}]] [[say:tried]]',
  },
  opencode: {
    permissions: 'edit',
    prompt: 'Look. [[tool:bash={"command":"touch made","description":"as told"}]] [[say:tried]]',
  },
};

describe.each(testedClis())('$name', (cli) => {
  const { name: agent } = cli;

  test('is installed in the version that it is tested with', () => {
    expect(installedVersion(cli), 'npm run test:agents -- --install').toBe(cli.version);
  });

  test('answers, and its session and its words are in the journal', async () => {
    const { run } = await livePlace([agent]);
    const started = await run({ task: { agent, prompt: 'Greet. [[say:hello there]]' } });
    expect(await started.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'hello there' } });

    const events = await Array.fromAsync(started.events());
    const entries = events.flatMap((event) => (event.type === 'transcript.added' ? event.data.entries : []));
    expect(sessionsOf(events, 'task')).toHaveLength(1);
    expect(entries).toContainEqual({ type: 'message', role: 'assistant', text: 'hello there' });
  });

  test('runs a command where it may do everything', async () => {
    const { run, project } = await livePlace([agent]);
    const started = await run({
      task: { agent, permissions: 'full', prompt: 'Work. [[shell:echo made > made]] [[say:worked]]' },
    });
    expect(await started.result()).toMatchObject({ outputs: { task: 'worked' } });
    expect(readFileSync(join(project, 'made'), 'utf8')).toBe('made\n');
  });

  test('gives JSON that fits the schema of its task', async () => {
    const { run } = await livePlace([agent]);
    const started = await run({
      task: { agent, prompt: 'Grade. [[json:{"grade":1}]]', output: { grade: 'number' } },
    });
    expect(await started.result()).toMatchObject({ outputs: { task: { grade: 1 } } });
  });

  test.runIf(!agentNamed(agent).asks)(
    'has failed where it was denied what it tried, and has not done it',
    async () => {
      const { run, project } = await livePlace([agent]);
      const started = await run({ task: { agent, ...forbidden[agent] } });
      await started.result();
      expect((await started.checkpoint()).tasks['task']).toMatchObject({ error: { code: 'AGENT_DENIED' } });
      expect(existsSync(join(project, 'made'))).toBe(false);
    },
  );

  test('that is not logged in, fails at once, and says how to log in', async () => {
    const { run } = await livePlace([agent]);
    const started = await run({ task: { agent, retry: 3, prompt: 'Greet. [[fail:401]]' } });
    await started.result();
    expect((await started.checkpoint()).tasks['task']).toMatchObject({
      attempts: 1,
      error: { code: 'AGENT_NOT_LOGGED_IN', message: expect.stringContaining(agentNamed(agent).login) },
    });
  });

  test('that has hit a usage limit, waits for its end', async () => {
    const { run } = await livePlace([agent], { isSubscriber: true });
    const before = Date.now();
    const started = await run({ task: { agent, prompt: 'Greet. [[limit:3600]]' } });
    const task = async () => (await started.checkpoint()).tasks['task']!;
    await eventually('it waits', async () => ['delayed', 'failed'].includes((await task()).status), 90_000);
    const { status, until } = await task();
    expect(status).toBe('delayed');
    // Some tell the minute only, some nothing: then it is asked again sooner.
    expect(until).toBeGreaterThan(before + 10 * 60_000);
    expect(until).toBeLessThan(before + 62 * 60_000);
  });

  test('goes on in the session of another task, which remembers', async () => {
    const { run, server } = await livePlace([agent]);
    const started = await run({
      plan: { agent, prompt: 'The word is KIWI. [[say:planned]]' },
      build: { agent, needs: ['plan'], session: { continue: 'plan' }, prompt: 'Build. [[say:built]]' },
    });
    expect(await started.result()).toMatchObject({ outputs: { plan: 'planned', build: 'built' } });
    const events = await Array.fromAsync(started.events());
    expect(sessionsOf(events, 'build')).toEqual(sessionsOf(events, 'plan'));
    expect(lastConversation(server)).toContain('KIWI');
    expect(lastConversation(server)).toContain('assistant: planned');
  });

  test.runIf(agentNamed(agent).traits.sessions === 'fork')(
    'goes on in a copy of the session of another task',
    async () => {
      const { run, server } = await livePlace([agent]);
      const started = await run({
        plan: { agent, prompt: 'The word is KIWI. [[say:planned]]' },
        copy: { agent, needs: ['plan'], session: { fork: 'plan' }, prompt: 'Build. [[say:copied]]' },
      });
      expect(await started.result()).toMatchObject({ outputs: { copy: 'copied' } });
      const events = await Array.fromAsync(started.events());
      expect(sessionsOf(events, 'copy')).not.toEqual(sessionsOf(events, 'plan'));
      expect(startsOf(events, 'copy')).toHaveLength(1);
      expect(lastConversation(server)).toContain('KIWI');
    },
  );
});
