/** Agents that stay though they have said all they had to say, or that say nothing any more. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manualClock, type Run } from '../../src/index.ts';
import { agentPlace, told } from '../support/agent-place.ts';
import { eventually } from '../support/eventually.ts';
import { eventsOf, played, promptsOf, transcriptOf } from '../support/scripted-place.ts';

const minute = 60_000;
const root = join(import.meta.dirname, '../fixtures/agents');

/** A CLI that prints what it once printed when it was asked to say something, and does not end. */
function saying(agent: string): string {
  const folder = readdirSync(root).find((name) => name.startsWith(`${agent}-`))!;
  return `cat > /dev/null\ncat <<'EOF'\n${readFileSync(join(root, folder, 'say.jsonl'), 'utf8').trim()}\nEOF\nexec sleep 600`;
}

async function taskOf(run: Run, name = 'task') {
  return (await run.checkpoint()).tasks[name]!;
}

async function ends(run: Run): Promise<unknown[]> {
  return (await eventsOf(run)).flatMap((event) =>
    event.type === 'attempt.ended' ? [[event.task, event.data.outcome, event.data.reason]] : [],
  );
}

/** Resolves when the driver has read that so many agents have said it. */
async function heard(run: Run, words: string, times = 1): Promise<void> {
  let left = times;
  for await (const event of run.events()) {
    if (event.type === 'transcript.added' && JSON.stringify(transcriptOf([event])).includes(words)) left -= 1;
    if (left === 0) return;
  }
}

/** Otherwise those that may write would wait for each other. */
const beside = { workspace: 'shared' };

describe('an agent that stays when it has told its result', () => {
  test.each(['claude', 'codex', 'gemini', 'opencode'])(
    'is ended, and its result counts: %s',
    async (agent) => {
      const place = agentPlace();
      place.install(agent, saying(agent));
      const run = await place.run({ task: { agent, prompt: 'Say it.' } }, { lingerMs: 50 });
      expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'hello there' } });
      expect((await taskOf(run)).attempts).toBe(1);
    },
  );

  test('has half a minute for it', async () => {
    const [place, clock] = [agentPlace(), manualClock()];
    const run = await place.run({ task: played([[{ answer: 'done' }, { hang: true }]]) }, { clock });
    await heard(run, '"done"');
    clock.advance(30_000);
    expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
  });

  test('and has failed, is ended too, and the failure counts', async () => {
    const place = agentPlace();
    const failing = `echo '{"type":"thread.started","thread_id":"one"}'
echo '{"type":"turn.failed","error":{"message":"no way"}}'`;
    place.install('codex', `cat > /dev/null\n${failing}\nexec sleep 600`);
    const run = await place.run({ task: { agent: 'codex', prompt: 'Do it.' } }, { lingerMs: 50 });
    expect(await run.result()).toMatchObject({ status: 'failed' });
    expect((await taskOf(run)).error?.message).toContain('no way');
  });

  test('is ended by the driver that adopts it', async () => {
    const place = agentPlace();
    const driver = place.drive({ task: played([[{ answer: 'done' }, { hang: true }]]) });
    await eventually('it has answered', () => place.printed().includes('"ended"'));
    await place.look((run) => told(run, 'transcript.added'));
    driver.child.kill('SIGKILL');
    await driver.ended();
    const run = await place.goOn({ lingerMs: 50 });
    expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
  });

  test('is not done while Claude Code says that something goes on in the background', async () => {
    const place = agentPlace();
    const [opened, ...rest] = saying('claude').split('\n').slice(2, -2);
    const background = (tasks: readonly unknown[]) =>
      JSON.stringify({ type: 'system', subtype: 'background_tasks_changed', tasks });
    place.install(
      'claude',
      `cat > /dev/null
cat <<'EOF'
${[opened, background([{ task_id: 'a' }]), ...rest].join('\n')}
EOF
touch begun
while [ ! -e go ]; do sleep 0.05; done
cat <<'EOF'
${[background([]), opened, ...rest.map((line) => line.replaceAll('hello there', 'and now'))].join('\n')}
EOF`,
    );
    const clock = manualClock();
    const other = played([[{ answer: 'x' }, { hang: true }]], beside);
    const run = await place.run(
      { task: { agent: 'claude', prompt: 'Say it.', ...beside }, other },
      { clock },
    );
    await heard(run, 'hello there');
    await heard(run, '"x"');
    clock.advance(31_000);
    await eventually('the other is ended', async () => (await taskOf(run, 'other')).status === 'succeeded');
    writeFileSync(join(place.folder, 'go'), '');
    expect(await run.result()).toMatchObject({ outputs: { task: 'and now' } });
  });
});

describe('an agent that prints nothing any more', () => {
  const silent = [{ say: 'hm' }, { hang: true }];
  const again = [{ answer: 'done' }];

  test('for half an hour is interrupted, goes on in its session, and is told', async () => {
    const [place, clock] = [agentPlace(), manualClock()];
    const run = await place.run({ task: played([silent, again]) }, { clock });
    await heard(run, '"hm"');
    clock.advance(29 * minute);
    clock.advance(2 * minute);
    expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
    const reason = 'it printed nothing for 30m, and no tool of it was at work';
    expect(await ends(run)).toEqual([
      ['task', 'interrupted', reason],
      ['task', 'succeeded', undefined],
    ]);
    expect(promptsOf(await eventsOf(run)).at(-1)).toContain(reason);
  });

  test('is left alone while a tool of it is at work, or where nobody wants it ended', async () => {
    const [place, clock] = [agentPlace(), manualClock()];
    const tool = 'while [ ! -e go ]; do sleep 0.05; done';
    const run = await place.run(
      {
        idle: played([silent, again], { 'idle-timeout': '1h', ...beside }),
        busy: played([[{ say: 'hm' }, { run: tool }, { answer: 'busy' }]], beside),
        // Not told on its stream.
        hidden: played(
          [[{ say: 'hm' }, { escape: tool }, { await: join(place.folder, 'go') }, { answer: 'hidden' }]],
          beside,
        ),
        off: played([[{ say: 'hm' }, { await: join(place.folder, 'go') }, { answer: 'off' }]], {
          'idle-timeout': 0,
          ...beside,
        }),
      },
      { clock },
    );
    await heard(run, '"hm"', 4);
    clock.advance(61 * minute);
    await eventually('the idle one is done', async () => (await taskOf(run, 'idle')).status === 'succeeded');
    writeFileSync(join(place.folder, 'go'), '');
    expect(await run.result()).toMatchObject({
      outputs: { idle: 'done', busy: 'busy', hidden: 'hidden', off: 'off' },
    });
    expect((await ends(run)).filter((end) => (end as string[])[1] === 'interrupted')).toHaveLength(1);
  });

  test('waits for a person where an interruption has to', async () => {
    const [place, clock] = [agentPlace(), manualClock()];
    const run = await place.run({ task: played([silent], { 'on-interrupt': 'ask' }) }, { clock });
    await heard(run, '"hm"');
    clock.advance(31 * minute);
    await eventually('it waits', async () => (await taskOf(run)).status === 'held');
    await place.leave();
    expect(await place.look(ends)).toMatchObject([['task', 'interrupted', expect.stringContaining('30m')]]);
  });

  test('is interrupted by the driver that adopts it, by when it printed last', async () => {
    const place = agentPlace();
    const driver = place.drive({ task: played([silent, again]) });
    await eventually('it is silent', () => place.printed().includes('"hm"'));
    await place.look((run) => heard(run, '"hm"'));
    driver.child.kill('SIGKILL');
    await driver.ended();
    const longAgo = Date.now() / 1000 - 31 * 60;
    const spool = join(place.folder, 'spool');
    for (const attempt of readdirSync(spool).filter((name) => !name.startsWith('.')))
      for (const stream of ['stdout', 'stderr']) utimesSync(join(spool, attempt, stream), longAgo, longAgo);
    const run = await place.goOn();
    expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
  });
});
