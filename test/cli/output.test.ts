import { describe, expect, test } from 'vitest';
import {
  cleanLine,
  cleanText,
  cutTo,
  spanText,
  styleFor,
  tableLines,
  whenText,
  widthOf,
} from '../../src/interfaces/cli/output/index.ts';

describe('text that tasks wrote', () => {
  test('escape sequences go as a whole, lines and tabs stay', () => {
    expect(cleanText('\u001b[31mred\u001b[0m\ttab\nline\u0007\u0008')).toBe('red\ttab\nline');
    expect(cleanText('\u001b]0;a title\u0007after')).toBe('after');
    expect(cleanText('\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\')).toBe('link');
    expect(cleanText('\u009b2Jclear')).toBe('clear');
  });

  test('a sequence that is never ended does not take along what follows', () => {
    expect(cleanText('a\u001b]0;b\nc')).toBe('a0;b\nc');
    expect(cleanText('a\u001b]0;b\nc\u0007')).toBe('a0;b\nc');
  });

  test('what turns the direction of writing, to make a line read otherwise, goes too', () => {
    expect(cleanText('a\u202eb\u2066c\u061c\u2028')).toBe('abc');
  });

  test('as a line it has neither ends of lines nor a cursor that goes back', () => {
    expect(cleanLine('50 %\r100 %\r\n done ')).toBe('50 %100 % done');
  });

  test('the columns of wide characters, marks and emoji are counted as terminals do', () => {
    expect(widthOf('abc')).toBe(3);
    expect(widthOf('日本')).toBe(4);
    expect(widthOf('e\u0301')).toBe(1);
    expect(widthOf('👩‍👩‍👧')).toBe(2);
  });

  test('cutting never makes a text wider than asked, and says that something was cut', () => {
    expect(cutTo('日本語', 5)).toBe('日本…');
    expect(cutTo('日本語', 4)).toBe('日…');
    expect(cutTo('abc', 3)).toBe('abc');
    expect(cutTo('abc', 0)).toBe('');
  });
});

test('times are told as people tell them', () => {
  expect([0, 850, 1_500, 59_999, 185_000, 7_800_000, 273_600_000].map(spanText)).toEqual([
    '0ms',
    '850ms',
    '1.5s',
    '59s',
    '3m 05s',
    '2h 10m',
    '3d 4h',
  ]);
  expect(whenText(1_000, 181_000)).toBe('3m ago');
  expect(whenText(21_000, 1_000)).toBe('in 20s');
  expect(whenText(1_000, 1_100)).toBe('just now');
});

describe('a table', () => {
  const rows = [
    ['a', 'short', 'x'.repeat(40)],
    ['long name', '', 'y'],
  ];

  test('is as wide as it needs', () => {
    expect(tableLines(rows, { columns: 200, head: ['one', 'two', 'three'] })).toEqual([
      'one        two    three',
      `a          short  ${'x'.repeat(40)}`,
      'long name         y',
    ]);
  });

  test('gives way in one column where the terminal is narrow, with no line wider than that', () => {
    const lines = tableLines(rows, { columns: 30 });
    expect(lines[0]).toBe('a          short  xxxxxxxxxxx…');
    expect(Math.max(...lines.map(widthOf))).toBe(30);
  });

  test('gives no room to a column in which nothing stands', () => {
    expect(tableLines([['a', '', 'b']], { columns: 80 })).toEqual(['a  b']);
  });

  test('is painted after it was laid out', () => {
    const { red } = styleFor(true);
    expect(tableLines([[{ text: 'ab', paint: red }, 'c']], { columns: 80 })).toEqual([
      '\u001b[31mab\u001b[39m  c',
    ]);
  });
});
