import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadWorkflow, open, type Piton, type Run } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Place {
  readonly folder: string;
  readonly piton: Piton;
  readonly run: Run;
}

/** A run of one task, in which the scripted agent plays these turns. */
function played(turns: readonly (readonly unknown[])[], more: object = {}): Promise<Place> {
  // JSON is YAML, in a part too.
  const prompt = `Do it.\n\`\`\`part\n${JSON.stringify({ turns })}\n\`\`\`\n`;
  return started(temporaryFolder(), { agent: 'scripted', permissions: 'full', prompt, ...more });
}

async function started(folder: string, task: object): Promise<Place> {
  const file = join(folder, 'flow.yaml');
  writeFileSync(file, JSON.stringify({ name: 'flow', tasks: { task } }));
  const store = `sqlite:${join(folder, 'piton.db')}`;
  // Programs of the folder come first.
  const environment = { ...process.env, PATH: [folder, process.env['PATH']].join(delimiter) };
  const piton = await open({ store, durability: 'process', graceMs: 300, environment });
  onTestFinished(() => piton.close());
  const origin = { directory: folder };
  return { folder, piton, run: await piton.start(await loadWorkflow(file), { id: 'run', origin }) };
}

/** The whole group of the attempt that runs, the one who would write how it ended included. */
async function killAt({ folder, piton }: Place, file: string): Promise<void> {
  await eventually(`the agent has made ${file}`, () => existsSync(join(folder, file)));
  const living = (await piton.keptAttempts()).find(({ pid }) => pid !== undefined);
  process.kill(-living!.pid!, 'SIGKILL');
}

test('an agent that is killed while its driver lives has not failed: it goes on in its session', async () => {
  const place = await played([
    [{ run: 'touch one; sleep 1000' }],
    [{ expect: 'In flight when you were interrupted' }, { answer: 'went on' }],
  ]);
  await killAt(place, 'one');
  expect(await place.run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'went on' } });
});

test('an agent that ends itself by a signal is interrupted, not failed', async () => {
  const { run } = await played([[{ run: 'echo step-one' }, { exit: 143 }], [{ answer: 'went on' }]]);
  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'went on' } });
  const ends = (await Array.fromAsync(run.events())).filter((event) => event.type === 'attempt.ended');
  expect(ends.map(({ data }) => data.outcome)).toEqual(['interrupted', 'succeeded']);
});

test('an agent that was killed twice is told what it did before the first death too', async () => {
  const place = await played([
    [{ run: 'echo step-one' }, { run: 'touch one; sleep 1000' }],
    [{ run: 'touch two; sleep 1000' }],
    [{ expect: 'echo step-one' }, { expect: 'touch two; sleep 1000' }, { answer: 'went on' }],
  ]);
  await killAt(place, 'one');
  await killAt(place, 'two');
  expect(await place.run.result()).toMatchObject({ outputs: { task: 'went on' } });
});

/** Ends its turn as Codex does, which tells its result only then, and does not exit. */
const lingering = `#!/bin/sh
[ "$1" != --version ] || { echo 0.166.0; exit; }
cat >/dev/null
echo '{"type":"thread.started","thread_id":"one"}'
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"all done"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'
touch one
sleep 1000
`;

test('an agent that is killed after its turn was complete is not asked again', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'codex'), lingering, { mode: 0o755 });
  const place = await started(folder, { agent: 'codex', prompt: 'Do it.' });
  await killAt(place, 'one');
  expect(await place.run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'all done' } });
  expect((await place.run.checkpoint()).tasks['task']).toMatchObject({ attempts: 1 });
});

/** Says that it has begun a call, and never that this has ended. */
function calling(command: string): object {
  return { garbage: JSON.stringify({ event: 'tool', id: '7', name: 'Shell', input: { command } }) };
}

async function settledTask(run: Run) {
  await eventually('it has come to rest', async () =>
    ['held', 'succeeded', 'failed'].includes((await run.checkpoint()).tasks['task']!.status),
  );
  return (await run.checkpoint()).tasks['task']!;
}

describe('an agent that ends by itself, with an exit code, in a call that it told of', () => {
  const told = (kind: string, message: string): object => ({ fail: { kind, message } });

  test.each([
    ['without a word', [{ exit: 1 }]],
    ['with exit code 0', [{ exit: 0 }]],
    ['after it has told a failure', [told('error', 'it broke')]],
    ['at a failure of the network', [told('network', 'no answer')]],
    ['at its usage limit', [{ limit: { in: '1s' } }]],
  ])('is not tried again by itself, if that may have taken effect: %s', async (_, end) => {
    const turns = [[{ run: 'echo x >> begun' }, calling('git push'), ...end], [{ answer: 'again' }]];
    const { run } = await played(turns, { retry: 3 });
    const { status, reason, attempts } = await settledTask(run);
    expect({ status, attempts }).toEqual({ status: 'held', attempts: 1 });
    expect(reason).toContain("interrupted in tool 'Shell: git push'");
  });

  test('goes on in its session if that can be done again, and is told of it', async () => {
    const { run } = await played([
      [calling('ls'), { exit: 1 }],
      [{ expect: 'In flight when you were interrupted' }, { expect: 'Shell: ls' }, { answer: 'went on' }],
    ]);
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { task: 'went on' } });
    const ends = (await Array.fromAsync(run.events())).filter((event) => event.type === 'attempt.ended');
    expect(ends.map(({ data }) => data.outcome)).toEqual(['interrupted', 'succeeded']);
  });

  test('has failed if a person has to see to it anyway', async () => {
    const { run } = await played([[calling('git push'), told('auth', 'not logged in')]], { retry: 3 });
    expect(await settledTask(run)).toMatchObject({ status: 'failed', attempts: 1 });
  });

  test('has failed if no call was open: how often it is tried is what `retry` says', async () => {
    const turns = [[{ run: 'git push || true' }, { exit: 1 }], [{ exit: 1 }], [{ answer: 'third' }]];
    const { run } = await played(turns, { retry: 2 });
    expect(await settledTask(run)).toMatchObject({ status: 'failed', attempts: 2 });
  });
});
