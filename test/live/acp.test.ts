/** Real agents over ACP, the whole way: what one of them cannot do is said where it is tested. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Run, RunEvent } from '../../src/index.ts';
import { binFolder, claudeOverAcp, isTested, type AgentCliName } from '../support/agent-clis.ts';
import { eventually } from '../support/eventually.ts';
import {
  kill,
  lastConversation,
  livePlace,
  lostSessions,
  sessionsOf,
  startsOf,
  type LivePlace,
} from '../support/live-agents.ts';

interface AcpAgent {
  readonly name: string;
  /** Whose home it lives in. */
  readonly cli: AgentCliName;
  readonly args: readonly string[];
  /** What makes it ask, where it does not by itself. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gemini CLI mostly keeps no session that it was led by ACP in: then a new one is told what was done. */
  readonly keepsSessions: boolean;
}

const agents: readonly AcpAgent[] = [
  {
    name: 'opencode',
    cli: 'opencode',
    args: ['opencode', 'acp'],
    env: { OPENCODE_PERMISSION: '{"bash":"ask"}' },
    keepsSessions: true,
  },
  {
    name: claudeOverAcp.name,
    cli: 'claude',
    args: [join(binFolder(claudeOverAcp.name), claudeOverAcp.name)],
    keepsSessions: true,
  },
  { name: 'gemini', cli: 'gemini', args: ['gemini', '--acp', '--skip-trust'], keepsSessions: false },
];

const patienceMs = 60_000;
const tested = agents.filter(({ name }) => isTested(name));

function taskOf({ args, env }: AcpAgent, more: object): Readonly<Record<string, unknown>> {
  return { task: { agent: 'acp', args, ...(env && { env }), ...more } };
}

interface Sessions {
  readonly opened: number;
  readonly lost: number;
}

function sessionsIn(events: readonly RunEvent[]): Sessions {
  return { opened: new Set(sessionsOf(events, 'task')).size, lost: lostSessions(events, 'task') };
}

/** Of a task that has gone on once: in its session, or in another one if that was lost, and only then. */
function needlessSessions(events: readonly RunEvent[], { keepsSessions }: AcpAgent): number {
  const { opened, lost } = sessionsIn(events);
  return opened - 1 - (keepsSessions ? 0 : lost);
}

describe.each(tested)('$name over ACP', (agent) => {
  test('answers, and its session and its words are in the journal', async () => {
    const { run, processes } = await livePlace([agent.cli]);
    const started = await run(taskOf(agent, { prompt: 'Greet. [[say:hello there]]' }));
    expect(await started.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'hello there' } });
    const events = await Array.fromAsync(started.events());
    expect(events.find(({ type }) => type === 'session.opened')).toMatchObject({
      data: { version: expect.stringMatching(/\d+\.\d+\.\d+/) },
    });
    expect(processes()).toEqual([]);
  });

  test('runs a command where it may do everything, and tells it', async () => {
    const { run, project } = await livePlace([agent.cli]);
    const prompt = 'Work. [[shell:echo made > made]] [[say:worked]]';
    const started = await run(taskOf(agent, { permissions: 'full', prompt }));
    expect(await started.result()).toMatchObject({ outputs: { task: 'worked' } });
    expect(readFileSync(join(project, 'made'), 'utf8')).toBe('made\n');
    const entries = (await Array.fromAsync(started.events())).flatMap((event) =>
      event.type === 'transcript.added' ? event.data.entries : [],
    );
    expect(entries).toContainEqual(expect.objectContaining({ type: 'tool-started', name: 'execute' }));
    expect(entries).toContainEqual(expect.objectContaining({ type: 'tool-finished', isError: false }));
  });

  test('asks for what it may not do, and goes on with it when a person allows it', async () => {
    const { run, project } = await livePlace([agent.cli]);
    const call = '[[shell:sh -c "echo made >> made"]]';
    // The second time is what a model does that is told to do it now; a session that is new begins with the first.
    const prompt = `Make it. ${agent.keepsSessions ? `${call} ${call}` : call} [[say:made it]]`;
    const started = await run(taskOf(agent, { permissions: 'edit', prompt }));
    const task = async () => (await started.checkpoint()).tasks['task']!;
    await eventually('it is asked', async () => (await task()).gate !== undefined, patienceMs);
    expect(await task()).toMatchObject({ status: 'held', call: { tool: 'execute' } });
    expect(JSON.stringify(await task())).toContain('echo made >> made');
    expect(existsSync(join(project, 'made'))).toBe(false);

    await started.approve('task');
    expect(await started.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'made it' } });
    expect(readFileSync(join(project, 'made'), 'utf8')).toBe('made\n');
    const events = await Array.fromAsync(started.events());
    expect(needlessSessions(events, agent)).toBe(0);
  });

  test('killed with its driver while a tool runs, leaves nothing of that, and goes on', async () => {
    const place = await livePlace([agent.cli]);
    const driver = place.drive(slowTask(agent));
    await toolRuns(place);
    await kill(driver);
    // What has escaped into a session of its own is for Piton to find.
    place.killSession();
    const events = await endWell(await place.goOn(), place);
    expect(needlessSessions(events, agent)).toBe(0);
  });

  test('goes on when our client alone is killed while a tool runs, and nothing is left of either', async () => {
    const place = await livePlace([agent.cli]);
    const run = await place.run(slowTask(agent));
    await toolRuns(place);
    const client = place.survivors().find((line) => /^\d+ \S*node \S*\/acp\/client\.ts /.test(line))!;
    process.kill(Number.parseInt(client, 10), 'SIGKILL');
    const events = await endWell(run, place);
    expect(needlessSessions(events, agent)).toBe(0);
  });
});

function slowTask(agent: AcpAgent): Readonly<Record<string, unknown>> {
  const slow = '[[shell:test -e started || { touch started; sleep 300; }]]';
  const prompt = `Remember KIWI. ${slow} [[say:worked]]`;
  return taskOf(agent, { permissions: 'full', 'on-interrupt': 'restart', prompt });
}

async function toolRuns({ project, printed }: LivePlace): Promise<void> {
  await eventually('the tool runs', () => existsSync(join(project, 'started')), patienceMs);
  await eventually('the call is told', () => printed().includes('sleep 300'), patienceMs);
}

async function endWell(run: Run, place: LivePlace): Promise<readonly RunEvent[]> {
  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'worked' } });
  expect(place.processes()).toEqual([]);
  const events = await Array.fromAsync(run.events());
  expect(place.gaps(events)).toEqual([]);
  expect(startsOf(events, 'task').length).toBeGreaterThan(1);
  expect(lastConversation(place.server)).toContain('KIWI');
  expect(lastConversation(place.server)).toContain('In flight when you were interrupted');
  return events;
}

describe.runIf(isTested('opencode'))('OpenCode over ACP, as it comes,', () => {
  test('does not ask: it is stopped after the first thing it was not allowed, and its task fails', async () => {
    const { run } = await livePlace(['opencode']);
    const prompt = 'Make it. [[shell:echo made > made]] [[say:made it]]';
    const started = await run({ task: { agent: 'acp', args: ['opencode', 'acp'], prompt } });
    await started.result();
    expect((await started.checkpoint()).tasks['task']).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { code: 'AGENT_DENIED', message: expect.stringContaining('without asking') },
    });
  });
});
