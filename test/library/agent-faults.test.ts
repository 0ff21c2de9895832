import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manualClock, type ManualClock, type Run, type RunEvent } from '../../src/index.ts';
import { agentPlace, messagesOf, told, type AgentPlace } from '../support/agent-place.ts';
import { eventually } from '../support/eventually.ts';
import { eventsOf, played, startsOf, transcriptOf } from '../support/scripted-place.ts';

async function taskOf(run: Run) {
  return (await run.checkpoint()).tasks['task']!;
}

/** In which sessions the agent was started, attempt by attempt. */
function waysOf(events: readonly RunEvent[]) {
  return startsOf(events).map(({ agent }) => agent!);
}

describe('an agent that is asked in vain', () => {
  test('because it is not installed, is asked once, and who can help is named', async () => {
    const run = await agentPlace().run({ task: { agent: 'codex', prompt: 'Do it.', retry: 3 } });
    await run.result();
    const { attempts, error } = await taskOf(run);
    expect(attempts).toBe(1);
    expect(error).toMatchObject({ code: 'AGENT_MISSING', message: expect.stringContaining('piton agents') });
    expect(error).toMatchObject({ message: expect.stringContaining('there is no codex on the PATH') });
  });

  test('because there is no such program as its task names, is told by that name', async () => {
    const task = { agent: 'command', args: ['gone'], permissions: 'full', prompt: 'Do it.' };
    const run = await agentPlace().run({ task });
    await run.result();
    expect((await taskOf(run)).error).toMatchObject({
      code: 'AGENT_MISSING',
      message: 'The program that `args` names for command is not there: there is no gone on the PATH.',
    });
  });

  test('because what it needs to run is not there, says so instead of being called missing', async () => {
    const place = agentPlace();
    place.install('codex', 'echo "error while loading shared libraries: libx.so" >&2; exit 127');
    const run = await place.run({ task: { agent: 'codex', prompt: 'Do it.' } });
    await run.result();
    const { error } = (await run.checkpoint()).tasks['task']!;

    expect(error!.message).toMatch(/Codex is installed, but cannot be run: .*shared libraries/);
  });

  test('because it is not installed, gives way to the next that is', async () => {
    const task = played([[{ answer: 'done' }]], { agent: ['codex', 'scripted'] });
    const run = await agentPlace().run({ task });
    expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
    expect((await taskOf(run)).attempts).toBe(1);
  });

  test.each([
    ['auth', 'AGENT_NOT_LOGGED_IN', 'its own words'],
    ['model-unknown', 'AGENT_MODEL_UNKNOWN', '`model`'],
    ['refused', 'AGENT_REFUSED', 'another agent'],
    ['max-turns', 'AGENT_OUT_OF_TURNS', '`max-turns`'],
    ['denied', 'AGENT_DENIED', '`permissions`'],
  ])(
    'that trying again does not mend (%s), is asked once; its words and a way out are told',
    async (...row) => {
      const [kind, code, wayOut] = row;
      const failing = [{ fail: { kind, message: 'its own words' } }];
      const run = await agentPlace().run({ task: played([failing, [{ answer: 'done' }]], { retry: 3 }) });
      await run.result();
      const { status, attempts, error } = await taskOf(run);
      expect({ status, attempts, code: error?.code }).toEqual({ status: 'failed', attempts: 1, code });
      expect(error?.message).toContain('its own words');
      expect(error?.message).toContain(wayOut);
    },
  );

  test('because it is too old for its command line, is asked once, and what to do is told', async () => {
    const place = agentPlace();
    place.install('codex', `echo "error: unexpected argument '--json' found" >&2; exit 2`);
    const run = await place.run({ task: { agent: 'codex', prompt: 'Do it.', retry: 3 } });
    await run.result();
    const { attempts, error } = await taskOf(run);
    expect(attempts).toBe(1);
    expect(error).toMatchObject({ code: 'AGENT_TOO_OLD', message: expect.stringContaining("'--json'") });
    expect(error).toMatchObject({ message: expect.stringContaining('piton agents') });
  });

  test('because it does not understand what stands in `args`, is not only said to be old', async () => {
    const place = agentPlace();
    place.install('codex', `echo "error: unexpected argument '--vrebose' found" >&2; exit 2`);
    const run = await place.run({ task: { agent: 'codex', prompt: 'Do it.', args: ['--vrebose'] } });
    await run.result();
    expect((await taskOf(run)).error?.message).toContain("'--vrebose' found. Correct `args` of the task");
  });

  test('because its own database is damaged, has failed with what to do about it', async () => {
    const place = agentPlace();
    place.install('opencode', `echo 'Error: Unexpected error: file is not a database' >&2; exit 1`);
    const run = await place.run({ task: { agent: 'opencode', prompt: 'Do it.' } });
    await run.result();
    expect((await taskOf(run)).error).toMatchObject({
      message: expect.stringMatching(/file is not a database.*move that away.*piton retry/s),
    });
  });

  test('because somebody else works in its session, is asked again, and goes on in it', async () => {
    const inUse = { fail: { kind: 'session-in-use', message: 'the session is in use' } };
    const task = played([[inUse], [{ answer: 'done' }]], { retry: { attempts: 2, backoff: '10ms' } });
    const run = await agentPlace().run({ task });
    expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
    const [first, second] = waysOf(await eventsOf(run));
    expect(second).toMatchObject({ how: 'continue', session: first!.session });
  });
});

/** Codex, which has lost what it knew, in its own words. */
const forgetful = (words: string): string => `
cat > input-$$
case " $* " in
  *" resume "*) echo "${words}" >&2; exit 1;;
esac
if [ -e first ]; then id=two; else id=one; fi
echo '{"type":"thread.started","thread_id":"'$id'"}'
if [ $id = one ]; then touch first; kill -9 $$; fi
cp input-$$ told
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"all done"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'`;

describe('an agent whose session is', () => {
  const begun = { run: 'touch one; sleep 1000', once: 'first' };
  const turns = [
    [{ run: 'echo step-one' }, begun, { expect: 'step-one' }, { expect: 'Do it.' }, { answer: 'went on' }],
  ];

  async function expectTold(place: AgentPlace, run: Run): Promise<void> {
    await place.killAt('one');
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'went on' } });
    expect(waysOf(await eventsOf(run))).toMatchObject([
      { how: 'new' },
      { how: 'continue', rung: 'session' },
      { how: 'new', rung: 'transcript' },
    ]);
  }

  test.each([
    ['gone', (file: string) => rmSync(file)],
    ['cut in the middle', (file: string) => truncateSync(file, 20)],
    ['full of garbage', (file: string) => writeFileSync(file, Buffer.alloc(5_000, 0xff))],
  ])('%s goes on in a new one, which is told what was done', async (_, damage) => {
    const place = agentPlace();
    const run = await place.run({ task: played(turns) });
    await eventually('it is at work', () => existsSync(join(place.folder, 'one')));
    expect(place.sessionFiles()).toHaveLength(1);
    place.sessionFiles().forEach(damage);
    await expectTold(place, run);
  });

  test.each([
    ['gone', 'Error: thread/resume: thread/resume failed: no rollout found for thread id one (code -32600)'],
    [
      'damaged',
      'Error: thread/resume: thread/resume failed: failed to read thread: thread-store internal error: failed to read session metadata /home/dev/rollout-one.jsonl: rollout at /home/dev/rollout-one.jsonl is empty (code -32603)',
    ],
  ])('%s in the words of Codex goes on in a new one', async (_, words) => {
    const place = agentPlace();
    place.install('codex', forgetful(words));
    const run = await place.run({ task: { agent: 'codex', prompt: 'Remember KIWI.' } });
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'all done' } });
    expect(readFileSync(join(place.folder, 'told'), 'utf8')).toContain('Remember KIWI.');
    expect(waysOf(await eventsOf(run))).toMatchObject([
      { how: 'new' },
      { how: 'continue', session: 'one' },
      { how: 'new', rung: 'transcript' },
    ]);
  });
});

test.each(['continue', 'fork'])(
  'a session that is gone when another task is to %s it is told to a new one',
  async (how) => {
    const place = agentPlace();
    const run = await place.run({
      plan: played([[{ run: 'echo step-one' }, { say: 'The answer is KIWI.' }, { answer: 'planned' }]]),
      lose: { needs: ['plan'], run: 'rm .piton/scripted/*' },
      build: played(
        [[{ expect: 'step-one' }, { expect: 'KIWI' }, { expect: 'Do it.' }, { answer: 'built' }]],
        {
          needs: ['lose'],
          session: { [how]: 'plan' },
        },
      ),
    });
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { build: 'built' } });
    expect(waysOf(await eventsOf(run)).filter((way) => way !== undefined)).toMatchObject([
      { how: 'new' },
      { how },
      { how: 'new', rung: 'transcript' },
    ]);
  },
);

test('an agent that misses a session where it was to begin a new one has failed', async () => {
  const place = agentPlace();
  const missing = { fail: { kind: 'session-missing', message: 'There is no such session.' } };
  const run = await place.run({ task: played([[missing]]) });
  expect(await run.result()).toMatchObject({ status: 'failed' });
});

describe('what an agent says', () => {
  test('in a line of 64 MB is told like everything else', async () => {
    const letters = 64 * 1024 * 1024;
    const run = await agentPlace().run({
      task: played([[{ say: 'before' }, { gigantic: letters }, { say: 'after' }, { answer: 'done' }]]),
    });
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'done' } });
    const said = messagesOf(await eventsOf(run)).map((text) => String(text));
    expect(said.map((text) => text.length)).toEqual(['before'.length, letters, 'after'.length]);
  });

  test('beside garbage and bytes that are no text is understood', async () => {
    const run = await agentPlace().run({
      task: played([
        [
          { bytes: 'fffe00c328' },
          { say: 'one' },
          { garbage: '}{ not JSON' },
          { bytes: `${Buffer.from('{"event":"said","text":"tw').toString('hex')}c3226f7d` },
          { garbage: '{"event":"never-heard-of"}' },
          { answer: 'done' },
        ],
      ]),
    });
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'done' } });
    const entries = transcriptOf(await eventsOf(run));
    expect(messagesOf(await eventsOf(run))).toContain('one');
    expect(entries.filter(({ type }) => type === 'unknown').length).toBeGreaterThanOrEqual(3);
  });

  test('when it dies in the middle of a line is complete but for that line, and its next words do not join it', async () => {
    const place = agentPlace();
    const cut = [
      { say: 'one' },
      { edit: { file: 'one', text: '' } },
      { stall: '{"event":"said","text":"half of' },
    ];
    const turns = [cut, [{ say: 'two' }, { answer: 'done' }]];
    const run = await place.run({ task: played(turns, { permissions: 'edit' }) });
    await eventually('half a line is there', () => place.printed().endsWith('half of'));
    await place.killAt('one');
    expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
    const events = await eventsOf(run);
    expect(messagesOf(events)).toEqual(['one', 'two']);
    expect(transcriptOf(events).filter(({ type }) => type === 'unknown')).toEqual([]);
    expect(waysOf(events)).toMatchObject([{ how: 'new' }, { how: 'continue', rung: 'session' }]);
  });

  test('when its driver dies in the middle of a line, even of a letter, is told once and whole by the next', async () => {
    const place = agentPlace();
    place.install(
      'codex',
      `cat > /dev/null
echo '{"type":"thread.started","thread_id":"one"}'
printf '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"gr\\303'
touch begun
while [ ! -e go ]; do sleep 0.05; done
printf '\\274n"}}\\n{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}\\n'`,
    );
    const driver = place.drive({ task: { agent: 'codex', prompt: 'Do it.' } });
    await eventually('half a line is there', () => existsSync(join(place.folder, 'begun')));
    await place.look((run) => told(run, 'transcript.added'));
    driver.child.kill('SIGKILL');
    await driver.ended();
    const run = await place.goOn();
    writeFileSync(join(place.folder, 'go'), '');
    expect(await run.result()).toMatchObject({ outputs: { task: 'grün' } });
    const types = transcriptOf(await eventsOf(run)).map(({ type }) => type);
    expect(types).toEqual(['session', 'message', 'usage', 'result']);
  });
});

const minute = 60_000;
const hour = 60 * minute;

describe('a usage limit', () => {
  /** One that ends at `until`, as often as it is asked before. */
  const limited = (until: number, times = 1): object =>
    played([
      ...Array.from({ length: times }, () => [{ limit: { until, text: 'too much' } }]),
      [{ answer: 'after the limit' }],
    ]);

  async function waiting(run: Run): Promise<void> {
    await eventually('it waits', async () => (await taskOf(run)).status === 'delayed');
  }

  async function untilOf(run: Run): Promise<number> {
    return (await taskOf(run)).until!;
  }

  async function expectDone(run: Run, attempts: number): Promise<void> {
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'after the limit' } });
    expect((await taskOf(run)).attempts).toBe(attempts);
  }

  function started(clock: ManualClock, times = 1): Promise<Run> {
    return agentPlace().run({ task: limited(clock.now() + 8 * hour, times) }, { clock });
  }

  test('that ends while the machine sleeps is over when it wakes', async () => {
    const clock = manualClock(Date.now());
    const run = await started(clock);
    await waiting(run);
    const until = await untilOf(run);
    clock.jump(10 * hour);
    expect(until).toBeLessThan(clock.now());
    await expectDone(run, 2);
  });

  test('is waited for to its end, though the machine slept for a part of it', async () => {
    const clock = manualClock(Date.now());
    const run = await started(clock);
    await waiting(run);
    const until = await untilOf(run);
    clock.jump(6 * hour);
    clock.advance(hour);
    await told(run, 'clock.jumped');
    expect(await untilOf(run)).toBe(until);
    clock.advance(until - clock.now());
    await expectDone(run, 2);
  });

  test('is not waited for longer because the clock was set back while nobody drove the run', async () => {
    const place = agentPlace();
    const first = manualClock(Date.now());
    const until = first.now() + 8 * hour;
    const tasks = { task: played([[{ limit: { until, text: 'too much' } }], [{ answer: 'went on' }]]) };
    const run = await place.run(tasks, { clock: first });
    await eventually('it waits', async () => (await run.checkpoint()).tasks['task']!.status === 'delayed');
    await place.leave();
    const clock = manualClock(first.now() - 24 * hour);
    const again = await place.goOn({ clock });
    clock.advance(30_000);
    await eventually(
      'the wait is shortened',
      async () => (await again.checkpoint()).tasks['task']!.until! <= clock.now() + 8 * hour,
    );
    clock.advance(8 * hour);

    expect(await again.result()).toMatchObject({ outputs: { task: 'went on' } });
  });

  test('is not waited for longer because the clock is set back: it is asked again, and told so again', async () => {
    const clock = manualClock(Date.now());
    const run = await started(clock, 2);
    await waiting(run);
    const until = await untilOf(run);
    clock.jump(-24 * hour);
    clock.advance(minute / 2);
    await eventually('the wait is shortened', async () => (await untilOf(run)) < until - 23 * hour);
    clock.advance(8 * hour);
    await eventually('it was asked again', async () => (await taskOf(run)).attempts === 2);
    await waiting(run);
    // By the clock as it is now, that is when the limit ends; whoever said so may have been right all along.
    expect(await untilOf(run)).toBe(until);
    clock.advance(until - clock.now());
    await expectDone(run, 3);
  });

  test('is waited for through the night, though the process that waits is killed and started again', async () => {
    const place = agentPlace();
    const until = Date.now() + 8 * hour;
    const tasks = { task: limited(until) };
    const driver = place.drive(tasks);
    await driver.nextLine();
    await eventually('it waits', () => place.look(async (run) => (await taskOf(run)).status === 'delayed'));
    driver.child.kill('SIGKILL');
    await driver.ended();

    const clock = manualClock(Date.now());
    const first = await place.goOn({ clock });
    expect(await untilOf(first)).toBe(until);
    clock.advance(7 * hour);
    expect(await taskOf(first)).toMatchObject({ status: 'delayed', attempts: 1 });
    await place.leave();

    const again = await place.goOn({ clock });
    expect(await taskOf(again)).toMatchObject({ status: 'delayed', until });
    clock.advance(2 * hour);
    await expectDone(again, 2);
    expect(waysOf(await eventsOf(again))).toMatchObject([
      { how: 'new' },
      { how: 'continue', rung: 'session' },
    ]);
  });
});
