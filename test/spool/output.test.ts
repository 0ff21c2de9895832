import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { openSpool } from './open-spool.ts';

async function prepared() {
  const { spool, order } = openSpool();
  const made = order('exit 0');
  await spool.prepare(made);
  const { attempt } = made;
  const file = (name: string): string => join(spool.folderOf(attempt), name);
  return { spool, attempt, file };
}

describe('reading the output', () => {
  test('of a command that prints 50 MB gives as much as was asked for, of either end', async () => {
    const { spool, begin } = openSpool();
    const { attempt, ended } = await begin('echo first; head -c 50000000 /dev/zero; echo; echo last');
    await ended();
    const start = await spool.readOutput(attempt, 'stdout', { maxBytes: 1000, from: 'start' });
    const end = await spool.readOutput(attempt, 'stdout', { maxBytes: 1000, from: 'end' });
    expect(start).toMatchObject({ bytes: 50_000_012, isCut: true });
    expect(start.text.startsWith('first\n')).toBe(true);
    expect(end.text.endsWith('\nlast\n')).toBe(true);
    expect([start.text.length, end.text.length]).toEqual([1000, 1000]);
    expect((await spool.lastLine(attempt))?.text).toBe('last');
  });

  test('never splits a character, wherever it is cut', async () => {
    const { spool, attempt, file } = await prepared();
    const text = 'aä€😀'.repeat(5);
    writeFileSync(file('stdout'), text);
    const bytes = Buffer.byteLength(text);
    for (let maxBytes = 0; maxBytes <= bytes + 1; maxBytes++) {
      const start = await spool.readOutput(attempt, 'stdout', { maxBytes, from: 'start' });
      const end = await spool.readOutput(attempt, 'stdout', { maxBytes, from: 'end' });
      expect(text.startsWith(start.text) && text.endsWith(end.text)).toBe(true);
      expect(Buffer.byteLength(start.text)).toBeGreaterThan(Math.min(maxBytes, bytes) - 4);
      expect(Buffer.byteLength(end.text)).toBeGreaterThan(Math.min(maxBytes, bytes) - 4);
      expect(start.isCut).toBe(maxBytes < bytes);
    }
  });

  test('replaces what is not text', async () => {
    const { spool, begin } = openSpool();
    const { attempt, ended } = await begin(`printf 'a\\377\\200b\\0c\\303'; printf 'problem\\n' >&2`);
    await ended();
    const all = { maxBytes: 100, from: 'start' } as const;
    expect((await spool.readOutput(attempt, 'stdout', all)).text).toBe('a\ufffd\ufffdb\0c\ufffd');
    expect((await spool.readOutput(attempt, 'stderr', all)).text).toBe('problem\n');
  });

  test('gives nothing where there is nothing, and does not wait at a pipe', async () => {
    const { spool, attempt, file } = await prepared();
    expect(await spool.readResult(attempt, { maxBytes: 10 })).toBeUndefined();
    execFileSync('mkfifo', [file('output')]);
    expect(await spool.readResult(attempt, { maxBytes: 10 })).toBeUndefined();
    rmSync(file('stdout'));
    const empty = { text: '', bytes: 0, isCut: false, writtenAt: 0 };
    expect(await spool.readOutput(attempt, 'stdout', { maxBytes: 10, from: 'end' })).toEqual(empty);
    writeFileSync(file('stdout'), '');
    rmSync(file('output'));
    writeFileSync(file('output'), '12345');
    expect(await spool.readResult(attempt, { maxBytes: 3 })).toMatchObject({
      text: '123',
      bytes: 5,
      isCut: true,
    });
  });
});

describe('the last line', () => {
  test.each([
    ['one\ntwo\n', 'two'],
    ['one\ntwo', 'two'],
    ['one\n\n  \n', 'one'],
    ['10 %\r50 %\r90 %\r', '90 %'],
    ['\u001b[31mred\u001b[0m\u0007\n', 'red'],
    ['a\tb\u202ec\n', 'a bc'],
    ['', undefined],
    ['\n\n', undefined],
  ])('of %j is %j', async (text, line) => {
    const { spool, attempt, file } = await prepared();
    writeFileSync(file('stdout'), text);
    expect((await spool.lastLine(attempt))?.text).toBe(line);
  });

  test('is that of the stream written to last', async () => {
    const { spool, begin } = openSpool();
    const { attempt, ended } = await begin('echo out; sleep 0.05; echo err >&2');
    await ended();
    expect((await spool.lastLine(attempt))?.text).toBe('err');
  });
});

describe('following', () => {
  test('gives all of both streams, from the beginning to the end, each character once and whole', async () => {
    const { spool, attempt, file } = await prepared();
    writeFileSync(file('stdout'), Buffer.from('early ä').subarray(0, 7));
    const got = { stdout: '', stderr: '' };
    let isOver = false;
    const reading = (async () => {
      for await (const { stream, text } of spool.follow(attempt, { isOver: () => isOver }))
        got[stream] += text;
    })();
    await eventually('the beginning is read', () => got.stdout === 'early ');
    appendFileSync(file('stdout'), Buffer.from('ä').subarray(1));
    appendFileSync(file('stderr'), 'x'.repeat(200_000));
    await eventually('the rest is read', () => got.stdout === 'early ä' && got.stderr.length === 200_000);
    appendFileSync(file('stdout'), Buffer.from([0xc3]));
    isOver = true;
    await reading;
    expect(got).toEqual({ stdout: 'early ä\ufffd', stderr: 'x'.repeat(200_000) });
  });

  test('ends with the signal', async () => {
    const { spool, attempt, file } = await prepared();
    writeFileSync(file('stdout'), 'text');
    const ending = new AbortController();
    const pieces: unknown[] = [];
    for await (const piece of spool.follow(attempt, { isOver: () => false, signal: ending.signal })) {
      pieces.push(piece);
      ending.abort();
    }
    expect(pieces).toEqual([{ stream: 'stdout', text: 'text', lines: 0, end: 4 }]);
  });
});
