/** OpenCode as Piton leads it, with a stand-in for its program: what the real one does is in `test/live`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { firstStart } from '../../src/engine/first-start.ts';
import type { Run } from '../../src/index.ts';
import { agentPlace, told, type AgentPlace } from '../support/agent-place.ts';
import { eventually } from '../support/eventually.ts';

const says = (event: object): string => `echo '${JSON.stringify({ sessionID: 'ses_1', ...event })}'`;
const ready = `echo '${JSON.stringify({ type: 'piton_ready' })}'`;
const session = says({ type: 'piton_session' });
const answer = [
  says({ type: 'text', part: { type: 'text', text: 'done' } }),
  says({ type: 'step_finish', part: { reason: 'stop' } }),
].join('\n');
const push = says({ type: 'piton_call', callID: 'call_1', tool: 'bash', input: { command: 'git push' } });
const pushed = says({ type: 'piton_called', callID: 'call_1', output: 'pushed' });

function withHome(place: AgentPlace) {
  const environment = {
    ...process.env,
    PATH: `${place.folder}:/usr/bin:/bin`,
    HOME: place.folder,
    XDG_DATA_HOME: join(place.folder, 'data'),
    XDG_STATE_HOME: join(place.folder, 'state'),
  };
  return { environment };
}

/** The first time it says something and hangs there; when it is started again, it answers. */
function hanging(...lines: readonly string[]): string {
  return `test -e hung && { ${session}; ${answer}; exit 0; }\n${lines.join('\n')}\ntouch hung\nexec sleep 300`;
}

async function killedWhile(...lines: readonly string[]): Promise<Run> {
  const place = agentPlace();
  place.install('opencode', hanging(...lines));
  const task = { agent: 'opencode', permissions: 'full', prompt: 'Do it.' };
  const run = await place.run({ task }, withHome(place));
  await place.killAt('hung');
  return run;
}

describe('OpenCode that was killed', () => {
  test('goes on by itself where nothing was in flight, since its plugin would have told', async () => {
    const run = await killedWhile(ready, session, push, pushed);
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'done' } });
  });

  test('is held in the call that was in flight', async () => {
    const run = await killedWhile(ready, session, push);
    const task = async () => (await run.checkpoint()).tasks['task']!;
    await eventually('it is held', async () => (await task()).status === 'held');
    expect(JSON.stringify(await task())).toContain('bash: git push');
  });

  test.for([
    ['has not loaded the plugin', [session]],
    [
      'has made a call that the plugin did not tell',
      [
        ready,
        says({ type: 'tool_use', part: { tool: 'bash', callID: 'call_2', state: { status: 'completed' } } }),
      ],
    ],
  ] as const)('is held wherever it was, if it %s', async ([, lines]) => {
    const run = await killedWhile(...lines);
    const task = async () => (await run.checkpoint()).tasks['task']!;
    await eventually('it is held', async () => (await task()).status === 'held');
    expect(JSON.stringify(await task())).toContain('does not tell what it was doing');
  });
});

/** It dies if another one makes the tables at the same time, as the real one does. Counts who was first. */
const migrating = `
data=$XDG_DATA_HOME/opencode
mkdir -p "$data"
if ! test -e "$data/opencode.db"; then
  mkdir "$data/migrating" || { echo 'database is locked' >&2; exit 1; }
  echo first >> firsts
  sleep 0.3
  echo made > "$data/opencode.db"
  rmdir "$data/migrating"
fi
${ready}
${session}
${answer}`;

function startingIn(place: AgentPlace): Parameters<typeof firstStart> {
  const { environment } = withHome(place);
  const file = join(environment.XDG_DATA_HOME, 'opencode', 'opencode.db');
  const end = new AbortController();
  onTestFinished(() => end.abort());
  return [{ file, program: join(place.folder, 'opencode'), environment }, end.signal];
}

/** Less than they would wait for each other. */
const timeout = 60_000;

/** They may only read: outside of git, agents that may write do so one at a time. */
describe('three OpenCodes at once in a new home', { timeout }, () => {
  test('all answer: the first is started alone', async () => {
    const place = agentPlace();
    place.install('opencode', migrating);
    const task = { agent: 'opencode', permissions: 'read', prompt: 'Do it.' };
    const run = await place.run({ one: task, two: task, three: task }, withHome(place));
    expect(await run.result()).toMatchObject({
      status: 'succeeded',
      outputs: { one: 'done', two: 'done', three: 'done' },
    });
    expect(readFileSync(join(place.folder, 'firsts'), 'utf8')).toBe('first\n');
    expect(await firstStart(...startingIn(place)), 'nobody has to wait any more').toBeUndefined();
  });

  test('do not wait for the answer of the first: its session is enough', async () => {
    const place = agentPlace();
    const others = `touch answered; ${answer}; exit 0`;
    const first = `until test -e answered; do sleep 0.05; done; ${answer}`;
    place.install(
      'opencode',
      `mkdir -p "$XDG_DATA_HOME/opencode"
       test -e "$XDG_DATA_HOME/opencode/opencode.db" && { ${session}; ${others}; }
       touch "$XDG_DATA_HOME/opencode/opencode.db"; ${session}; ${first}`,
    );
    const task = { agent: 'opencode', permissions: 'read', prompt: 'Do it.' };
    const run = await place.run({ one: task, two: task }, withHome(place));
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { one: 'done', two: 'done' } });
  });

  test('may be cancelled while they wait, and then never begin', async () => {
    const place = agentPlace();
    place.install('opencode', `touch begun; ${answer}`);
    expect(await firstStart(...startingIn(place)), 'somebody else is first').toBeDefined();
    const run = await place.run({ task: { agent: 'opencode', prompt: 'Do it.' } }, withHome(place));
    await told(run, 'attempt.started');
    await run.cancel();
    expect(await run.result()).toMatchObject({ status: 'cancelled' });
    expect(existsSync(join(place.folder, 'begun'))).toBe(false);
  });
});
