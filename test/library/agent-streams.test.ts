/** Agents whose stream is not, or not wholly, understood: as if a CLI of tomorrow were installed. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Run } from '../../src/index.ts';
import { agentPlace, type AgentPlace } from '../support/agent-place.ts';
import { eventually } from '../support/eventually.ts';
import { eventsOf, played, promptsOf } from '../support/scripted-place.ts';

const root = join(import.meta.dirname, '../fixtures/agents');
const goose = [
  '{"type":"message","message":{"id":"1","role":"assistant","content":[{"type":"toolRequest","id":"t","toolCall":{"value":{"name":"shell","arguments":{"command":"git push"}}}}]}}',
];

/** What a CLI wrote until it was killed in a tool call. */
function killedInTool(agent: string): readonly string[] {
  const folder = readdirSync(root).find((name) => name.startsWith(`${agent}-`));
  if (folder === undefined) return goose;
  return readFileSync(join(root, folder, 'killed-tool.jsonl'), 'utf8')
    .trim()
    .split('\n');
}

/** A CLI that prints this, has done its work, and goes on for ever. */
function printing(lines: readonly string[], end = '\n'): string {
  return `cat > prompt-$$
cat <<'EOF'
${lines.slice(0, -1).join('\n')}
EOF
printf '%s' '${lines.at(-1)!.replaceAll("'", `'\\''`)}'
printf '${end === '\n' ? '\\n' : ''}'
echo pushed >> pushes
touch begun
exec sleep 600`;
}

const renamed = (line: string): string => line.replaceAll(/"type":"([^"]+)"/g, '"type":"new-$1"');

async function heldTask(run: Run) {
  await eventually('it waits', async () =>
    ['held', 'succeeded', 'failed'].includes((await taskOf(run)).status),
  );
  return taskOf(run);
}

async function taskOf(run: Run) {
  return (await run.checkpoint()).tasks['task']!;
}

async function killed(place: AgentPlace, task: object): Promise<Run> {
  const run = await place.run({ task });
  await place.killAt('begun');
  return run;
}

describe('a stream whose events are all renamed', () => {
  test.each(['claude', 'codex', 'gemini', 'goose', 'opencode'])(
    'of %s, killed in a call that does harm twice, waits for a person, who is told version and events',
    async (agent) => {
      const place = agentPlace();
      place.install(agent, printing(killedInTool(agent).map(renamed)), '99.1.2');
      const run = await killed(place, { agent, prompt: 'Push it.', permissions: 'full' });
      const { status, reason } = await heldTask(run);
      expect(status).toBe('held');
      expect(reason).toMatch(/does not understand of [\w ]+ 99\.1\.2, an untested version \(new-/);
      expect(readFileSync(join(place.folder, 'pushes'), 'utf8')).toBe('pushed\n');
      await place.leave();
      const events = await place.look(eventsOf);
      expect(events.find(({ type }) => type === 'attempt.spawned')).toMatchObject({
        data: { version: '99.1.2' },
      });
    },
  );

  test('and who goes on with it is not told that nothing was done', async () => {
    const place = agentPlace();
    place.install('codex', printing(killedInTool('codex').map(renamed)), '99.1.2');
    const run = await killed(place, { agent: 'codex', prompt: 'Push it.', permissions: 'full' });
    await heldTask(run);
    place.install('codex', `${record}\n${answering}`, '99.1.2');
    await run.retry('task');
    expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
    const told = readFileSync(join(place.folder, 'told'), 'utf8');
    expect(told).toContain('there may be tool calls that are not listed here');
    expect(told).not.toContain('No tool call had completed');
  });

  test('where it may only edit, simply goes on', async () => {
    const place = agentPlace();
    const once = `if [ -e begun ]; then ${answering}\nexit; fi\n`;
    place.install('codex', once + printing(killedInTool('codex').map(renamed)), '99.1.2');
    const run = await killed(place, { agent: 'codex', prompt: 'Write it.', permissions: 'edit' });
    expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
  });

  test('that ends by itself is not taken for a failure that may be tried again', async () => {
    const place = agentPlace();
    place.install(
      'codex',
      `cat > /dev/null; echo x >> runs; ${answering.replaceAll('"type":"', '"type":"new-')}`,
    );
    const run = await place.run({
      task: { agent: 'codex', prompt: 'Push it.', permissions: 'full', retry: 3 },
    });
    const { status, reason, attempts } = await heldTask(run);
    expect({ status, attempts }).toEqual({ status: 'held', attempts: 1 });
    expect(reason).toContain('new-turn.completed');
  });
});

test.each(['claude', 'codex', 'gemini', 'goose'])(
  'a stream of %s that ends in a call, with an exit code, is an interruption there, whatever `retry` says',
  async (agent) => {
    const place = agentPlace();
    const push = (line: string): string =>
      line.replaceAll(/"command":"(?:[^"\\\\]|\\\\.)*"/g, '"command":"git push"');
    place.install(agent, printing(killedInTool(agent).map(push)).replace('exec sleep 600', 'exit 1'));
    const run = await place.run({ task: { agent, prompt: 'Push it.', permissions: 'full', retry: 3 } });
    const { status, reason, attempts } = await heldTask(run);
    expect({ status, attempts }).toEqual({ status: 'held', attempts: 1 });
    expect(reason).toMatch(/^it was interrupted in tool '\w+: git push'/);
  },
);

const record = 'cat > told';
const answering = `echo '{"type":"thread.started","thread_id":"one"}'
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"done"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'`;

describe('a stream that is cut off in the middle of an event', () => {
  test.each([
    ['full', 'held', '(a line that was cut off)'],
    ['edit', 'succeeded', ''],
  ] as const)(
    'means that nobody knows what that was: under %s it is %s',
    async (permissions, status, why) => {
      const place = agentPlace();
      const cut = [{ edit: { file: 'begun', text: '' } }, { stall: '{"event":"tool","id":"7","name":"Sh' }];
      const run = await place.run({ task: played([cut, [{ answer: 'done' }]], { permissions }) });
      await eventually('half a line is there', () => place.printed().endsWith('"Sh'));
      await place.killAt('begun');
      const task = await heldTask(run);
      expect(task.status).toBe(status);
      expect(task.reason ?? '').toContain(why);
    },
  );

  test('by a rename of one kind only, is held for that kind, which is bounded and harmless to read', async () => {
    const place = agentPlace();
    const strange = { event: `t\u001B[2J${'o'.repeat(500)}`, id: '7' };
    const steps = [
      { edit: { file: 'begun', text: '' } },
      { garbage: JSON.stringify(strange) },
      { hang: true },
    ];
    const run = await place.run({ task: played([steps]) });
    await eventually('it was said', () => place.printed().includes('ooo'));
    await place.killAt('begun');
    const { status, reason } = await heldTask(run);
    expect(status).toBe('held');
    expect(reason).toMatch(/\(t\\u\{1b\}\[2Jo+…\)/);
    expect(reason!.length).toBeLessThan(300);
  });
});

test('an agent that tells of calls only at their end is never told that nothing had begun', async () => {
  const place = agentPlace();
  place.install('opencode', printing(killedInTool('opencode')));
  const run = await killed(place, { agent: 'opencode', prompt: 'Push it.', permissions: 'full' });
  expect((await heldTask(run)).status).toBe('held');
  const text = '{"type":"text","sessionID":"s","part":{"text":"done"}}';
  place.install(
    'opencode',
    `${record}\necho '${text}'\necho '${text.replace('text', 'step_finish').replace('"text":"done"', '"reason":"stop"')}'`,
  );
  await run.retry('task');
  expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
  expect(readFileSync(join(place.folder, 'told'), 'utf8')).toContain(
    'there may be tool calls that are not listed',
  );
});

test('an untested version is named where its failure is told', async () => {
  const place = agentPlace();
  place.install(
    'codex',
    `cat > /dev/null; echo '{"type":"turn.failed","error":{"message":"no"}}'; exit 1`,
    '9.9.9',
  );
  const run = await place.run({ task: { agent: 'codex', prompt: 'Do it.' } });
  await run.result();
  expect((await taskOf(run)).error?.message).toContain('Codex 9.9.9 is not tested with Piton (0.166.0 is)');
});

test('what is not understood before a call that has ended is no reason to hold anything', async () => {
  const place = agentPlace();
  const steps = [{ garbage: '{"event":"new"}' }, { edit: { file: 'begun', text: '' } }, { hang: true }];
  const run = await place.run({ task: played([steps, [{ answer: 'done' }]]) });
  await place.killAt('begun');
  expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
  expect(promptsOf(await eventsOf(run)).at(-1)).not.toContain('could not be read');
});
