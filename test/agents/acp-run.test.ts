/** Runs with an agent of our own that speaks ACP: what is promised of every agent, kept by our client inside the attempt. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identityOf, livenessOf } from '../../src/base/index.ts';
import type { RunEvent } from '../../src/index.ts';
import { promptFor, puppet } from '../support/acp-attempt.ts';
import type { AcpStep } from '../support/acp-steps.ts';
import { agentPlace, type AgentPlace } from '../support/agent-place.ts';
import { eventually } from '../support/eventually.ts';
import { transcriptOf, type Tasks } from '../support/scripted-place.ts';

function workOf({ folder }: AgentPlace, steps: readonly AcpStep[], more: object = {}): Tasks {
  const home = join(folder, 'puppet');
  mkdirSync(home, { recursive: true });
  return { task: { agent: 'acp', args: puppet, env: { ACP_HOME: home }, prompt: promptFor(steps), ...more } };
}

function sessionsIn(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'session.opened' ? [event.data.session] : []));
}

const startsIn = (events: readonly RunEvent[]): number =>
  events.filter(({ type }) => type === 'attempt.started').length;

describe('a run with an agent over ACP', () => {
  test('is held when the agent asks, and goes on in its session when a person allows it', async () => {
    const place = agentPlace();
    const tool = { input: { command: 'make' }, ask: true, run: 'echo made >> made' } as const;
    const run = await place.run(workOf(place, [{ tool }, { say: 'done' }]));
    const task = async () => (await run.checkpoint()).tasks['task']!;
    await eventually('it is asked', async () => (await task()).gate !== undefined);
    expect(await task()).toMatchObject({
      status: 'held',
      call: { tool: 'execute', input: { command: 'make' } },
    });
    expect(existsSync(join(place.folder, 'made'))).toBe(false);

    await run.approve('task');
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'done' } });
    expect(readFileSync(join(place.folder, 'made'), 'utf8')).toBe('made\n');
    const events = await Array.fromAsync(run.events());
    expect(new Set(sessionsIn(events)).size).toBe(1);
    expect(startsIn(events)).toBe(2);
  });

  test('needs no driver for the conversation to come to its end, permissions included', async () => {
    const place = agentPlace();
    const go = join(place.folder, 'go');
    const tool = { kind: 'read', input: { path: 'a' }, ask: true, output: 'words' } as const;
    const driver = place.drive(workOf(place, [{ say: 'begun' }, { await: go }, { tool }, { say: 'done' }]));
    await eventually('the turn has begun', () => place.printed().includes('opened'));
    driver.child.kill('SIGKILL');
    await driver.ended();
    writeFileSync(go, '');
    await eventually('it has ended alone', () => place.printed().includes('"ended"'));

    const run = await place.goOn();
    expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
    const events = await Array.fromAsync(run.events());
    expect(startsIn(events)).toBe(1);
    expect(transcriptOf(events).map(({ type }) => type)).toEqual([
      'session',
      'message',
      'tool-started',
      'tool-finished',
      'message',
      'result',
    ]);
  });

  test('goes on in the session when client and agent are killed in a call, and leaves nothing behind', async () => {
    const place = agentPlace();
    const command = 'test -e started || { echo $$ > tool; touch started; exec sleep 300; }';
    const tool = { input: { command }, run: command } as const;
    const more = { permissions: 'full', 'on-interrupt': 'restart' };
    const run = await place.run(workOf(place, [{ tool }, { recall: true }], more));
    await eventually('the call is told', () => place.printed().includes('sleep 300'));
    await eventually('the tool runs', () => existsSync(join(place.folder, 'started')));
    const escaped = identityOf(Number(readFileSync(join(place.folder, 'tool'), 'utf8')))!;
    await place.killAt('started');

    const { outputs } = await run.result();
    expect(outputs).toMatchObject({ task: expect.stringContaining('Play.') });
    const events = await Array.fromAsync(run.events());
    expect(new Set(sessionsIn(events)).size).toBe(1);
    expect(startsIn(events)).toBe(2);
    expect(livenessOf(escaped)).not.toBe('alive');
  });

  test.each([
    ['exits with a code', { exit: 1 }],
    ['answers with an error', { error: { code: -32_603, message: 'it broke' } }],
  ] as const)('is held when the agent %s in a call that may have taken effect', async (_, end) => {
    const place = agentPlace();
    const update = {
      sessionUpdate: 'tool_call',
      toolCallId: 'call-1',
      title: 'git push',
      kind: 'execute',
      status: 'in_progress',
      rawInput: { command: 'git push' },
    };
    const run = await place.run(workOf(place, [{ update }, end], { permissions: 'full', retry: 3 }));
    const task = async () => (await run.checkpoint()).tasks['task']!;
    await eventually('it rests', async () => ['held', 'failed'].includes((await task()).status));
    expect(await task()).toMatchObject({
      status: 'held',
      attempts: 1,
      reason: expect.stringContaining("interrupted in tool 'execute: git push'"),
    });
  });
});
