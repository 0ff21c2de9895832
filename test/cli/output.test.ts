import { describe, expect, test } from 'vitest';
import {
  cleanLine,
  cleanText,
  cutTo,
  isColoured,
  padTo,
  spanText,
  styleFor,
  tableLines,
  statusCell,
  statusSymbol,
  whenText,
  widthOf,
  type ShownStatus,
} from '../../src/interfaces/cli/output/index.ts';
import { paintLine, sayingLines } from '../../src/interfaces/cli/progress/paint-line.ts';
import type { Saying } from '../../src/interfaces/cli/progress/describe-event.ts';

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
    expect(cutTo('abc', 1)).toBe('…');
    expect(cutTo('abcd', 3)).toBe('ab…');
    expect(cutTo('', 0)).toBe('');
    expect(cutTo('e\u0301é', 2)).toBe('e\u0301é');
  });
});

test('text is filled up to a width, and left alone where it has it', () => {
  expect(['ab', '日本', 'abcd', 'abcde'].map((text) => padTo(text, 4))).toEqual([
    'ab  ',
    '日本',
    'abcd',
    'abcde',
  ]);
});

test('every status has its symbol and its colour', () => {
  const shown = (status: ShownStatus): string => {
    const { text, paint } = statusCell(status, styleFor(true)) as {
      text: string;
      paint: (of: string) => string;
    };
    expect(text).toBe(`${statusSymbol(status)} ${status}`);
    return paint(text);
  };
  expect(shown('succeeded')).toBe('\u001b[32m✓ succeeded\u001b[39m');
  expect(shown('interrupted')).toBe('\u001b[33m! interrupted\u001b[39m');
  expect(shown('stalled')).toBe('\u001b[31m! stalled\u001b[39m');
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

describe('colour', () => {
  test('is put around text, and around nothing else', () => {
    const style = styleFor(true);
    expect(style.bold('a')).toBe('\u001b[1ma\u001b[22m');
    expect(style.red('')).toBe('');
    expect(styleFor(false).red('a')).toBe('a');
  });

  test.each([
    [true, {}, true],
    [true, { NO_COLOR: '' }, true],
    [true, { NO_COLOR: '1' }, false],
    [true, { TERM: 'xterm' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, {}, false],
    [undefined, {}, false],
  ])('is for terminals (%j) that want it (%j): %j', (isTTY, env, expected) => {
    expect(isColoured({ ...(isTTY !== undefined && { isTTY }) }, env)).toBe(expected);
  });

  test.each<[Saying, string[]]>([
    [{ tone: 'good', symbol: '✓', text: 'a\nb\u0007' }, ['\u001b[32m✓\u001b[39m a b']],
    [{ tone: 'bad', symbol: '✗', text: 'a' }, ['\u001b[31m✗\u001b[39m a']],
    [{ tone: 'warning', symbol: '!', text: 'a' }, ['\u001b[33m!\u001b[39m a']],
    [{ tone: 'quiet', symbol: '▸', text: 'a' }, ['\u001b[2m▸\u001b[22m a']],
    [
      { tone: 'plain', symbol: '▸', text: 'a', commands: ['piton resume\tr', 'piton\u0007 skip'] },
      ['▸ a', '    piton resume r', '    piton skip'],
    ],
  ])('of what is said (%j) is that of its tone, on its mark alone; commands stand below', (saying, lines) => {
    expect(sayingLines(styleFor(true), saying)).toEqual(lines);
  });

  test('of a line that is drawn is that of its tone', () => {
    const painted = (tone: Saying['tone']): string => paintLine(styleFor(true), { tone, text: 'a' });
    expect([painted('plain'), painted('bad')]).toEqual(['a', '\u001b[31ma\u001b[39m']);
  });
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
    const [a, b] = ['a'.repeat(10), 'b'.repeat(10)];
    expect(tableLines([[a, '', b]], { columns: 22 })).toEqual([`${a}  ${b}`]);
  });

  test('keeps a column as wide as its text where there is room, to the last column of the terminal', () => {
    const narrow = [
      ['ab', 'c'],
      ['d', 'e'],
    ];
    for (const columns of [5, 80])
      expect(tableLines(narrow, { columns, flexible: 0 })).toEqual(['ab  c', 'd   e']);
  });

  test('gives way in the column that is told to, but not below what can be read', () => {
    const row = ['x'.repeat(20), 'y'.repeat(5)];
    expect(tableLines([row], { columns: 20, flexible: 0 })).toEqual([`${'x'.repeat(12)}…  yyyyy`]);
    expect(tableLines([row], { columns: 5, flexible: 0 })).toEqual([`${'x'.repeat(7)}…  yyyyy`]);
    expect(tableLines([], { columns: 5 })).toEqual([]);
    expect(tableLines([[]], { columns: 5 })).toEqual(['']);
  });

  test('ends each line with its last word, not with spaces', () => {
    expect(
      tableLines(
        [
          ['a', '', ''],
          ['b', 'c', 'd'],
          ['', '', ''],
        ],
        { columns: 80 },
      ),
    ).toEqual(['a', 'b  c  d', '']);
  });

  test('is painted after it was laid out', () => {
    const { red } = styleFor(true);
    expect(tableLines([[{ text: 'ab', paint: red }, 'c']], { columns: 80 })).toEqual([
      '\u001b[31mab\u001b[39m  c',
    ]);
  });
});
