/** What reaches standard output and standard error, and what becomes of it where nobody reads. */
import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createOutput, divertStdout, type Output } from '../../src/interfaces/cli/output/index.ts';

/** A stream that keeps what is written, and says that it was only when it is told to. */
class KeptStream extends EventEmitter {
  text = '';
  isTTY: boolean | undefined;
  columns: number | undefined;
  rows = 24;
  readonly waiting: (() => void)[] = [];

  write(text: string, done?: () => void): boolean {
    this.text += text;
    if (done !== undefined) this.waiting.push(done);
    return true;
  }
}

interface Made {
  readonly output: Output;
  readonly stdout: KeptStream;
  readonly stderr: KeptStream;
}

function made(isJson = false, given: { isTTY?: boolean; columns?: number } = {}, env = {}): Made {
  const [stdout, stderr] = [new KeptStream(), new KeptStream()];
  Object.assign(stdout, given);
  return { output: createOutput({ stdout, stderr, env } as never, isJson), stdout, stderr };
}

test('people are told in lines what programs are told in JSON, and never both', () => {
  const say = ({ output }: Made): void => {
    output.print();
    output.print('a line');
    output.table([['a', 'b']], { head: ['one', 'two'] });
    output.json({ a: 1 });
    output.json({ a: [1] }, true);
    output.next('piton list', 'piton run');
  };
  const [forPeople, forPrograms] = [made(), made(true)];
  say(forPeople);
  expect(forPeople.stdout.text).toBe('\na line\none  two\na    b\nNext: piton list\n  or: piton run\n');
  say(forPrograms);
  expect(forPrograms.stdout.text).toBe('{\n  "a": 1\n}\n{"a":[1]}\n');
});

test('what is worth knowing goes to standard error; among JSON it is JSON too, unless it is a complaint', () => {
  const [forPeople, forPrograms] = [made(), made(true)];
  for (const { output } of [forPeople, forPrograms]) {
    output.note('a "note"');
    output.complain('a complaint');
    expect(output.write('as it is')).toBe(true);
  }
  expect(forPeople.stderr.text).toBe('a "note"\na complaint\n');
  expect(forPrograms.stderr.text).toBe('{"note":"a \\"note\\""}\na complaint\n');
  expect([forPeople.stdout.text, forPrograms.stdout.text]).toEqual(['as it is', 'as it is']);
});

test.each([
  [{}, {}, { isTerminal: false, canRedraw: false, columns: 120 }],
  [{ isTTY: true, columns: 40 }, {}, { isTerminal: true, canRedraw: true, columns: 40 }],
  [{ isTTY: true, columns: 0 }, { TERM: 'dumb' }, { isTerminal: true, canRedraw: false, columns: 120 }],
  [{ isTTY: false }, { TERM: 'xterm' }, { isTerminal: false, canRedraw: false }],
])('a stream that is %j, where %j, is taken for %j', (given, env, expected) => {
  const { output, stdout } = made(false, given, env);
  expect(output).toMatchObject({ ...expected, rows: 24 });
  stdout.columns = 77;
  expect(output.columns).toBe(77);
});

test('each stream is coloured if it is a terminal itself, and a table gives way to its width', () => {
  const { output, stdout } = made(false, { isTTY: true, columns: 12 });
  expect([output.style.red('a'), output.errorStyle.red('a')]).toEqual(['\u001b[31ma\u001b[39m', 'a']);
  output.table([['x'.repeat(20)]], { head: ['h'] });
  expect(stdout.text).toBe(`\u001b[2mh\u001b[22m\n${'x'.repeat(11)}…\n`);
});

test('a reader that goes away ends the printing, never the work, and only there', () => {
  const { output, stdout, stderr } = made();
  stdout.emit('error', new Error('EPIPE'));
  output.print('unread');
  expect(output.write('unread')).toBe(false);
  output.complain('read');
  expect([stdout.text, stderr.text]).toEqual(['', 'read\n']);
});

test('all has been handed over when both streams have taken it, or their readers are gone', async () => {
  const { output, stdout, stderr } = made();
  let isDone = false;
  const flushed = output.flush().then(() => (isDone = true));
  stdout.waiting[0]!();
  await Promise.resolve();
  expect([isDone, stdout.listenerCount('error')]).toEqual([false, 1]);
  stderr.emit('error', new Error('EPIPE'));
  await flushed;
  expect([stdout.listenerCount('error'), stderr.listenerCount('error')]).toEqual([1, 1]);
  const again = output.flush();
  expect([stdout.waiting.length, stderr.waiting.length]).toEqual([2, 1]);
  stdout.waiting[1]!();
  await again;
});

test('what others write to standard output is handed over by lines, and they are told that it was taken', async () => {
  const { write } = process.stdout;
  onTestFinished(() => void (process.stdout.write = write));
  const taken: string[] = [];
  divertStdout((line) => taken.push(line));
  expect(process.stdout.write('one\ntwo\n')).toBe(true);
  expect(process.stdout.write(new TextEncoder().encode('three\n\nfür'))).toBe(true);
  const told: string[] = [];
  process.stdout.write('four\n', () => told.push('four'));
  process.stdout.write('five', 'utf8', () => told.push('five'));
  process.stdout.write('six', 'utf8');
  expect(told).toEqual([]);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(told).toEqual(['four', 'five']);
  expect(taken).toEqual(['one', 'two', 'three', '', 'für', 'four', 'five', 'six']);
});
