/** What a person sees before a decision, and what becomes of it: in this process, without the binary. */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/interfaces/cli/context.ts';
import { decide, sendAll } from '../../src/interfaces/cli/decide.ts';
import { decideGate } from '../../src/interfaces/cli/decide-gate.ts';
import { createOutput } from '../../src/interfaces/cli/output/index.ts';
import { printCall, printQuestions } from '../../src/interfaces/cli/questions.ts';
import type { CommandResult, Piton } from '../../src/index.ts';
import { workflow } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { latch, openPiton } from '../support/open-piton.ts';
import { openPlace, played } from '../support/scripted-place.ts';

/** A context whose standard output can be read. */
function contextOf(piton?: Piton): { readonly context: Context; printed(): Promise<string> } {
  const stdout = new PassThrough();
  const stream = stdout as unknown as NodeJS.WriteStream;
  const output = createOutput({ stdout: stream, stderr: stream, env: {} }, false);
  const context = { output, now: () => Date.now(), openExisting: async () => piton } as unknown as Context;
  const printed = async (): Promise<string> => {
    await output.flush();
    return String(stdout.read() ?? '');
  };
  return { context, printed };
}

const script = Array.from({ length: 60 }, (_, index) => `step ${index + 1}`);
const call = { tool: 'Shell', input: { command: script.join('\n') } };

describe('a call that an agent asks for', () => {
  test('is shown whole to whoever answers, however long it is: what is cut off might be what matters', async () => {
    const { run, piton } = await openPlace();
    const started = await run({ deploy: played([[{ run: script.join('\n') }]], { permissions: 'edit' }) });
    await eventually('it asks', async () => (await started.status()) === 'held');
    const { context, printed } = contextOf(piton);
    const invocation = { args: ['run', 'deploy'], options: { drive: false } };
    expect(await decideGate(context, 'reject', invocation as never)).toBe(0);
    const text = await printed();
    for (const line of script) expect(text).toContain(`  ${line}\n`);
    expect(text).not.toContain('more lines');
  });

  test('is cut where it only has to be recognised, and says by how much', async () => {
    const { context, printed } = contextOf();
    printCall(context.output, call);
    const text = await printed();
    expect(text.split('\n')).toHaveLength(22);
    expect(text).toContain('… 42 more lines\n');
  });

  test('shows what a terminal would hide, and no name in it pretends to be another field', async () => {
    const { context, printed } = contextOf();
    printCall(context.output, {
      tool: 'Read\n    command: ls',
      input: { 'path\ncommand': 'a\u001b[8m; rm -rf .\u0007', list: [1] },
    });
    const text = await printed();
    expect(text.split('\n')[0]).toBe('    tool: Read command: ls');
    expect(text).toContain(String.raw`    path command: a\u{1b}[8m; rm -rf .\u{7}`);
    expect(text).toContain('    list:\n');
  });

  test('stands in the overview of its run with what to type', async () => {
    const { context, printed } = contextOf();
    const task = { status: 'held', call, gate: 'asked', actions: ['approve', 'reject'] };
    printQuestions(context, 'r', { deploy: task } as never);
    const text = await printed();
    expect(text).toContain('? deploy asks for\n    tool: Shell\n');
    expect(text).toContain('  piton approve r deploy\n');
  });
});

describe('a decision about several tasks', () => {
  const accepted: CommandResult = { status: 'accepted', text: 'done' };
  const refusal: CommandResult = { status: 'refused', text: 'b waits for nothing' };
  const of = (statuses: Record<string, string>) =>
    ({
      tasks: Object.fromEntries(Object.entries(statuses).map(([task, status]) => [task, { status }])),
    }) as never;

  test.each([
    ['the first', { b: 'running', a: 'held' }],
    ['the last', { a: 'held', b: 'running' }],
    ['one beside those that have failed', { a: 'failed', b: 'running' }],
  ])('of which %s is refused is refused, and says why', async (_, statuses) => {
    const send = async (task: string): Promise<CommandResult> => (task === 'b' ? refusal : accepted);
    const result = await sendAll(of(statuses), Object.keys(statuses), send);
    expect(result).toEqual(refusal);
    const piton = { find: async () => ({}) } as unknown as Piton;
    const { context } = contextOf(piton);
    await expect(
      decide(context, { run: 'r', send: async () => result, mayDrive: false }),
    ).rejects.toMatchObject({
      code: 'COMMAND_REFUSED',
      message: expect.stringContaining('b waits for nothing'),
    });
  });

  test('puts those that have failed into one: alone, each would be stopped again by the others', async () => {
    const sent: [string, readonly string[]][] = [];
    const statuses = { a: 'failed', b: 'held', c: 'failed' };
    await sendAll(of(statuses), Object.keys(statuses), async (task, also) => {
      sent.push([task, also]);
      return accepted;
    });
    expect(sent).toEqual([
      ['a', ['c']],
      ['b', []],
    ]);
  });
});

test('a decision that is taken by a run elsewhere ends well, and names the way to watch it', async () => {
  const piton = await openPiton();
  const gate = latch();
  await piton.start(
    workflow('flow').task('slow', () => gate.opened),
    { id: 'r' },
  );
  const { context, printed } = contextOf(piton);
  expect(await decide(context, { run: 'r', send: (handle) => handle.pause('lunch'), mayDrive: true })).toBe(
    0,
  );
  expect(await printed()).toMatch(/Next: piton attach r\n$/);
  gate.open();
});
