import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { manualClock, type Run } from '../../src/index.ts';
import { testedClis, type AgentCliName } from '../support/agent-clis.ts';
import { eventually } from '../support/eventually.ts';
import {
  filesBelow,
  kill,
  lastConversation,
  livePlace,
  lostSessions,
  sessionsOf,
  startsOf,
  type LivePlace,
} from '../support/live-agents.ts';

const patienceMs = 120_000;

async function taskOf(run: Run) {
  return (await run.checkpoint()).tasks['task']!;
}

/** What an agent keeps of its sessions. */
const ownFiles: Readonly<Record<AgentCliName, RegExp>> = {
  claude: /projects\/.*\.jsonl$/,
  codex: /rollout-.*\.jsonl$/,
  gemini: /chats\/.*\.jsonl$/,
  opencode: /opencode\.db(?:-wal|-shm)?$/,
};

function sessionFiles(agent: AgentCliName, { home }: LivePlace): readonly string[] {
  return filesBelow(home).filter((file) => ownFiles[agent].test(file));
}

/** It has died in the middle of an answer, and its session is as it has left it. */
async function diedInAnswer(agent: AgentCliName): Promise<LivePlace> {
  const place = await livePlace([agent]);
  const prompt = 'Remember KIWI. [[say:halfway]] [[stall:60:1]]';
  const retry = { attempts: 2, backoff: '10m' };
  const task = { agent, permissions: 'full', 'on-interrupt': 'restart', retry, prompt };
  const driver = place.drive({ task });
  const isStalling = (): boolean => place.server.log().some(({ state }) => state === 'stalling');
  await eventually('the model hangs', isStalling, patienceMs);
  await eventually('its session is told', () => /session_?id|thread_id/i.test(place.printed()), patienceMs);
  await eventually('its session is written', () => place.hasWritten('Remember KIWI'), patienceMs);
  await kill(driver);
  await place.killAgents();
  return place;
}

async function expectWholeTask(place: LivePlace, run: Run): Promise<void> {
  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'halfway' } });
  expect(lastConversation(place.server)).toContain('Remember KIWI');
  expect(place.survivors()).toEqual([]);
  const events = await Array.fromAsync(run.events());
  expect(place.gaps(events)).toEqual([]);
  expect(new Set(sessionsOf(events, 'task')).size).toBeLessThanOrEqual(1 + lostSessions(events, 'task'));
}

const damages: Readonly<Record<string, (file: string) => void>> = {
  'is gone': (file) => rmSync(file),
  'is empty': (file) => truncateSync(file, 0),
  'is cut off': (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  'ends in garbage': (file) =>
    writeFileSync(file, Buffer.from('{"type":"us\0\xff\xfe', 'latin1'), { flag: 'a' }),
  'is garbage': (file) => writeFileSync(file, Buffer.from('\0\xff\xfe{{no\n'.repeat(200), 'latin1')),
};

/** Credentials of each; OpenCode's are in its settings. */
const keys: Partial<Readonly<Record<AgentCliName, string>>> = {
  claude: 'ANTHROPIC_API_KEY',
  codex: 'CODEX_LOOPBACK_KEY',
  gemini: 'GEMINI_API_KEY',
};

describe.each(testedClis())('$name', ({ name: agent }) => {
  // All of OpenCode's sessions are in one database, without which it does nothing: see below.
  const kinds = Object.keys(damages).filter((kind) => agent !== 'opencode' || kind !== 'is garbage');

  test.each(kinds)('whose session %s goes on with its task all the same', async (kind) => {
    const place = await diedInAnswer(agent);
    const files = sessionFiles(agent, place);
    expect(files).not.toEqual([]);
    files.forEach(damages[kind]!);
    await expectWholeTask(place, await place.goOn());
  });

  test.runIf(agent === 'opencode')(
    'whose database is garbage says so, and goes on with its task when that was moved away',
    async () => {
      const place = await diedInAnswer(agent);
      sessionFiles(agent, place).forEach(damages['is garbage']!);
      const run = await place.goOn();
      await eventually('it waits', async () => (await taskOf(run)).status === 'delayed', patienceMs);
      expect((await taskOf(run)).reason).toMatch(/database is damaged: move that away.*piton retry/);
      sessionFiles(agent, place).forEach((file) => rmSync(file));
      await run.retry('task');
      await expectWholeTask(place, run);
    },
  );

  test.runIf(agent in keys)('that has no credentials fails at once, and says how to log in', async () => {
    const { run } = await livePlace([agent], { unset: keys[agent]! });
    const started = await run({ task: { agent, retry: 3, prompt: 'Greet. [[say:hello]]' } });
    await started.result();
    expect(await taskOf(started)).toMatchObject({
      attempts: 1,
      error: { code: 'AGENT_NOT_LOGGED_IN', message: expect.stringContaining(agentNamed(agent).login) },
    });
  });

  test('that does not know its model fails at once, and says where to name another', async () => {
    const { run } = await livePlace([agent]);
    const model = agent === 'opencode' ? 'loopback/no-such-model' : 'no-such-model';
    const started = await run({ task: { agent, model, retry: 3, prompt: 'Greet. [[fail:404]]' } });
    await started.result();
    expect(await taskOf(started)).toMatchObject({
      attempts: 1,
      error: { code: 'AGENT_MODEL_UNKNOWN', message: expect.stringContaining('`model`') },
    });
  });

  test('that does not know an option fails at once, and says that versions may differ', async () => {
    const { run } = await livePlace([agent]);
    const args = ['--no-such-option'];
    const started = await run({ task: { agent, args, retry: 3, prompt: 'Greet. [[say:hello]]' } });
    await started.result();
    expect(await taskOf(started)).toMatchObject({
      attempts: 1,
      error: { code: 'AGENT_TOO_OLD', message: expect.stringContaining('piton agents') },
    });
  });

  test('whose tool prints 32 MB without an end of line, and no text at that, ends well', async () => {
    const place = await livePlace([agent]);
    const shell = "head -c 33554432 /dev/zero | tr '\\0' '\\377'";
    const prompt = `Print. [[shell:${shell}]] [[say:printed]]`;
    const started = await place.run({ task: { agent, permissions: 'full', prompt } });
    expect(await started.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'printed' } });
    const events = await Array.fromAsync(started.events());
    expect(JSON.stringify(events)).toContain('tool-finished');
    expect(place.gaps(events)).toEqual([]);
  });

  test('waits for the end of a usage limit, also when its driver is killed, and goes on in its session', async () => {
    const place = await livePlace([agent], { isSubscriber: true });
    // In the middle of its work: before its first word, some have no session that could be gone on in.
    const prompt = 'Remember KIWI. [[shell:touch began]] [[limit:3600:1]] [[say:after the limit]]';
    const driver = place.drive({ task: { agent, permissions: 'full', prompt } });
    await driver.nextLine();
    const looking = await place.look();
    await eventually('it waits', async () => (await taskOf(looking)).status === 'delayed', patienceMs);
    const { until } = await taskOf(looking);
    await kill(driver);

    const clock = manualClock(Date.now());
    const run = await place.goOn({ clock });
    expect(await taskOf(run)).toMatchObject({ status: 'delayed', until });
    expect(place.survivors()).toEqual([]);
    clock.advance(until! - clock.now());
    expect(await run.result()).toMatchObject({ outputs: { task: 'after the limit' } });
    const events = await Array.fromAsync(run.events());
    expect(startsOf(events, 'task')).toMatchObject([{}, { data: { agent: { rung: 'session' } } }]);
    expect(new Set(sessionsOf(events, 'task')).size).toBe(1);
    expect(place.gaps(events)).toEqual([]);
  });
});

test.runIf(testedClis().some(({ name }) => name === 'codex'))(
  'codex tries again later while somebody else works in its session, and then goes on in it',
  async () => {
    const place = await livePlace(['codex']);
    const look = 'Look. [[say:seen]] [[stall:6:1]]';
    const started = await place.run({
      plan: { agent: 'codex', prompt: 'Remember KIWI. [[say:planned]]' },
      // Outside of git they would write one after the other, and never meet in the session.
      other: {
        workspace: 'shared',
        needs: ['plan'],
        run: `codex exec resume --last --skip-git-repo-check '${look}' < /dev/null`,
      },
      go: { workspace: 'shared', needs: ['plan'], run: 'while [ ! -e go ]; do sleep 0.1; done' },
      task: {
        agent: 'codex',
        workspace: 'shared',
        needs: ['go'],
        session: { continue: 'plan' },
        // Seldom: at the third failure in a row, agents are left alone for a minute.
        retry: { attempts: 5, backoff: '5s', factor: 1, jitter: 0 },
        prompt: 'Build. [[say:built]]',
      },
    });
    const isStalling = (): boolean => place.server.log().some(({ state }) => state === 'stalling');
    await eventually('somebody is in the session', isStalling, patienceMs);
    writeFileSync(join(place.project, 'go'), '');

    expect(await started.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'built' } });
    const events = await Array.fromAsync(started.events());
    expect(new Set([...sessionsOf(events, 'plan'), ...sessionsOf(events, 'task')]).size).toBe(1);
    const ends = events.filter((event) => event.type === 'attempt.ended' && event.task === 'task');
    expect(JSON.stringify(ends)).toContain('Another program works in this session');
    expect(lastConversation(place.server)).toContain('assistant: seen');
  },
);
