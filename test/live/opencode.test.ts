/** What Piton relies on of OpenCode alone: the plugin that tells its calls, and its first start in a new home. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Run } from '../../src/index.ts';
import { isTested } from '../support/agent-clis.ts';
import { eventually } from '../support/eventually.ts';
import { kill, livePlace, sessionsOf, startsOf, type LivePlace } from '../support/live-agents.ts';

const patienceMs = 120_000;
const agent = 'opencode';

function full(prompt: string, more: object = {}): Readonly<Record<string, unknown>> {
  return { task: { agent, permissions: 'full', prompt, ...more } };
}

async function killAll(place: LivePlace, tasks: Readonly<Record<string, unknown>>, at: string): Promise<Run> {
  const driver = place.drive(tasks);
  await eventually(`${at} is there`, () => existsSync(join(place.project, at)), patienceMs);
  await kill(driver);
  await place.killAgents();
  return place.goOn();
}

async function modelHangs({ server }: LivePlace): Promise<void> {
  const hangs = (): boolean => server.log().some(({ state }) => state === 'stalling');
  await eventually('the model hangs', hangs, patienceMs);
}

async function heldIn(run: Run): Promise<string> {
  const task = async () => (await run.checkpoint()).tasks['task']!;
  await eventually('it is held', async () => (await task()).status === 'held', patienceMs);
  return JSON.stringify(await task());
}

const slow = (name: string): string => `touch ${name}; curl --data x http://127.0.0.1:1 || sleep 300`;

describe.runIf(isTested(agent))('OpenCode', () => {
  test('killed in a call that may have taken effect is held there, and its name is told', async () => {
    const place = await livePlace([agent]);
    const run = await killAll(place, full(`Send. [[shell:${slow('sent')}]] [[say:worked]]`), 'sent');
    expect(await heldIn(run)).toContain('bash: touch sent; curl');
  });

  test('killed in a call of an agent that it has started is held', async () => {
    const place = await livePlace([agent]);
    const input = { description: 'send', prompt: `[[shell:${slow('sent')}]]`, subagent_type: 'general' };
    const run = await killAll(
      place,
      full(`Send. [[tool:task=${JSON.stringify(input)}]] [[say:worked]]`),
      'sent',
    );
    expect(await heldIn(run)).toContain('in tool');
  });

  test('killed between two calls goes on by itself, in its session, and makes none of them again', async () => {
    const place = await livePlace([agent]);
    const prompt = 'Work. [[shell:echo one >> made]] [[say:halfway]] [[stall:60:1]]';
    const driver = place.drive(full(prompt));
    await modelHangs(place);
    await kill(driver);
    await place.killAgents();
    const run = await place.goOn();
    expect(await run.result()).toMatchObject({ status: 'succeeded' });
    expect(readFileSync(join(place.project, 'made'), 'utf8')).toBe('one\n');
    const events = await Array.fromAsync(run.events());
    expect(startsOf(events, 'task')).toHaveLength(2);
    expect(new Set(sessionsOf(events, 'task')).size).toBe(1);
  });

  test('killed when the model was asked for the first time, has a session to go on in', async () => {
    const place = await livePlace([agent]);
    const driver = place.drive(full('Remember KIWI. [[stall:60:1]] [[say:worked]]'));
    await modelHangs(place);
    expect(place.printed()).toContain('piton_session');
    expect(place.hasWritten('Remember KIWI')).toBe(true);
    await kill(driver);
    await place.killAgents();
    const run = await place.goOn();
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'worked' } });
    expect(new Set(sessionsOf(await Array.fromAsync(run.events()), 'task')).size).toBe(1);
  });

  test('without our plugin is held, as nobody knows what it was doing', async () => {
    const place = await livePlace([agent]);
    const prompt = `Work. [[shell:touch made; sleep 300]] [[say:worked]]`;
    const run = await killAll(place, full(prompt, { args: ['--pure'] }), 'made');
    expect(await heldIn(run)).toContain('does not tell what it was doing');
  });

  test('has the plugins and the settings of the person as well', async () => {
    const place = await livePlace([agent]);
    const [file, loaded] = ['theirs.mjs', 'loaded'].map((name) => join(place.home, name)) as [string, string];
    writeFileSync(
      file,
      `import { appendFileSync } from 'node:fs';
       export const Theirs = async () => (appendFileSync(${JSON.stringify(loaded)}, 'x'), {});`,
    );
    const folder = join(place.home, 'config', 'opencode', 'plugin');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'global.js'), readFileSync(file));
    const theirs = { plugin: [pathToFileURL(file).href], username: 'somebody' };
    const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(theirs) };
    const run = await place.run(full('Work. [[shell:touch made]] [[say:worked]]', { env }));
    expect(await run.result()).toMatchObject({ outputs: { task: 'worked' } });
    expect(readFileSync(loaded, 'utf8')).toBe('xx');
    expect(place.printed()).toContain('piton_call');
  });

  test('started three times at once in a new home, answers each time', async () => {
    const place = await livePlace([agent]);
    // Outside of git, agents that may write do so one at a time.
    const task = { agent, permissions: 'read', prompt: 'Greet. [[say:hello]]' };
    const run = await place.run({ one: task, two: task, three: task });
    expect(await run.result()).toMatchObject({
      status: 'succeeded',
      outputs: { one: 'hello', two: 'hello', three: 'hello' },
    });
    const events = await Array.fromAsync(run.events());
    for (const name of ['one', 'two', 'three']) expect(startsOf(events, name)).toHaveLength(1);
  });
});
