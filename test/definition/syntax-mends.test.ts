/** Slips in YAML: the first is told, where a person would look for it, with the line as it should be. */
import { expect, test } from 'vitest';
import { describeProblem } from '../../src/definition/problems.ts';
import { parsed, parseProblems } from './support.ts';

interface Slip {
  readonly what: string;
  readonly text: string;
  /** Of the caret. */
  readonly at: readonly [line: number, column: number];
  readonly message: string;
  readonly mended?: string;
}

const slips: readonly Slip[] = [
  {
    what: 'an expression without quotes in a flow map',
    text: 'name: x\ntasks:\n  a: { run: ls, env: { A: ${{ run.id }} } }\n  b: { run: "${{ 1 }}" }',
    at: [3, 27],
    message: 'YAML takes the braces of `${{ run.id }}` for its own: in { } and [ ] it has to be in quotes.',
    mended: '  a: { run: ls, env: { A: "${{ run.id }}" } }',
  },
  {
    what: 'a text with an expression in it',
    text: 'name: x\ntasks:\n  a: { run: echo ${{ run.id }} and ${{ "x" }}, timeout: 1m }',
    at: [3, 18],
    message: 'YAML takes the braces of `${{ run.id }}` for its own: in { } and [ ] it has to be in quotes.',
    mended: `  a: { run: 'echo \${{ run.id }} and \${{ "x" }}', timeout: 1m }`,
  },
  {
    what: 'an expression without quotes in a list',
    text: 'name: x\ntasks:\n  a:\n    run: [echo, ${{ run.id }}]',
    at: [4, 17],
    message: 'YAML takes the braces of `${{ run.id }}` for its own: in { } and [ ] it has to be in quotes.',
    mended: '    run: [echo, "${{ run.id }}"]',
  },
  {
    what: 'a tab',
    text: 'name: x\ntasks:\n\ta:\n\t\trun: ls',
    at: [3, 1],
    message: 'A tab indents this line, and YAML allows only spaces.',
    mended: '  a:',
  },
  {
    what: 'a quote that is not closed',
    text: 'name: x\ntasks:\n  a:\n    run: "echo a\n  b:\n    run: ls',
    at: [4, 10],
    message: 'The quote " is not closed.',
    mended: '    run: "echo a"',
  },
  {
    what: 'a quote that is not closed in a flow map',
    text: "name: x\ntasks:\n  a: { run: 'ls }\n  b: { run: ls }",
    at: [3, 13],
    message: "The quote ' is not closed.",
    mended: "  a: { run: 'ls' }",
  },
  {
    what: 'a colon without a space',
    text: 'name: x\ntasks:\n  a:\n    needs:b\n    run: ls',
    at: [4, 10],
    message: 'There is no space after the colon of `needs:`.',
    mended: '    needs: b',
  },
  {
    what: 'brackets that are not closed',
    text: 'name: x\ntasks:\n  a: { run: ls, needs: [b, c\n  b:\n    run: ls',
    at: [3, 24],
    message: 'The bracket [ is not closed.',
    mended: '  a: { run: ls, needs: [b, c] }',
  },
  {
    what: 'a map that is not closed at the end of the file',
    text: 'name: x\ntasks: { a: { run: ls }\n',
    at: [2, 8],
    message: 'The bracket { is not closed.',
    mended: 'tasks: { a: { run: ls } }',
  },
  {
    what: 'a line that fits no other',
    text: 'name: x\ntasks:\n  a:\n    run: ls\n   b:\n    run: ls',
    at: [5, 4],
    message: 'This line is indented by 3 spaces, which fits no line above it.',
    mended: '  b:',
  },
  {
    what: 'a line that is indented too far',
    text: 'name: x\ntasks:\n  a:\n    run: ls\n      timeout: 1m',
    at: [5, 7],
    message: 'This line is indented deeper than `run: ls` above it, which has a value.',
    mended: '    timeout: 1m',
  },
  {
    what: 'a text with a colon',
    text: 'name: x\ntasks:\n  a:\n    run: echo a: b',
    at: [4, 10],
    message: 'YAML takes the colon in this text for that of a key.',
    mended: "    run: 'echo a: b'",
  },
  {
    what: 'a text that begins with a reserved character',
    text: 'name: x\ntasks:\n  a:\n    run: @scope/tool # soon',
    at: [4, 10],
    message: 'YAML keeps `@` at the beginning of a text for itself.',
    mended: "    run: '@scope/tool' # soon",
  },
  {
    what: 'a condition that YAML takes for a tag',
    text: 'name: x\ntasks:\n  a:\n    if: !failure()\n    run: ls',
    at: [4, 9],
    message: 'YAML keeps `!` at the beginning of a text for itself.',
    mended: "    if: '!failure()'",
  },
  {
    what: 'an escape that is none',
    text: 'name: x\ntasks:\n  a: { run: "grep \\d+" }',
    at: [3, 19],
    message: '`\\d` means nothing in a text with double quotes.',
    mended: "  a: { run: 'grep \\d+' }",
  },
];

test.each(slips)('$what', async ({ text, at: [line, column], message, mended }) => {
  const [problem, ...others] = await parseProblems(text);
  expect(others).toEqual([]);
  const original = text.split('\n')[line - 1]!;
  expect(problem).toMatchObject({
    line,
    column,
    message,
    remedy: `Write:\n${mended}`,
    excerpt: `${original.replaceAll('\t', ' ')}\n${' '.repeat(column - 1)}^`,
  });
});

test.each(slips.filter(({ what }) => !/a tab|not closed at/.test(what)))(
  'what is written as told is no such error any more: $what',
  async ({ text, at: [line], message, mended }) => {
    const rest = await parseProblems(
      text
        .split('\n')
        .with(line - 1, mended!)
        .join('\n'),
    ).catch(() => []);
    expect(rest.map((problem) => problem.message)).not.toContain(message);
    expect(rest.filter(({ excerpt }) => excerpt !== undefined)).toEqual([]);
  },
);

test('a key that is there twice is told with the line of the first', async () => {
  const problems = await parseProblems('name: x\ntasks:\n  a: { run: ls }\n  a: { run: pwd }\n');
  expect(problems.map(describeProblem)).toEqual([
    [
      'main.yaml:4:3: `a` is there twice: first in line 3.',
      '        a: { run: pwd }',
      '        ^',
      '      Remove one of them, or give it another name.',
    ].join('\n'),
  ]);
});

test('a key without a space where it is only a text', async () => {
  const [problem] = await parseProblems('name: x\ntasks:\n  a:\n    run:ls\n');
  expect(problem).toMatchObject({ line: 4, remedy: 'Write `run: ls`, with a space after the colon.' });
});

test('an item of a list that became part of the one before it', async () => {
  const [problem] = await parseProblems(
    'name: x\ntasks:\n  a:\n    needs:\n    - b\n     - c\n    run: ls\n',
  );
  expect(problem).toMatchObject({ line: 5, message: expect.stringContaining('indented too far') });
});

test('a text that YAML takes for a reference to nothing', async () => {
  const [problem] = await parseProblems('name: x\ntasks:\n  a:\n    run: *.ts\n');
  expect(problem).toMatchObject({ line: 4, column: 10, remedy: 'If it is text, put it in quotes.' });
});

test('one slip in a long file is one message', async () => {
  const tasks = Array.from(
    { length: 160 },
    (_, index) => `  t${index}: { run: echo, env: { A: "\${{ run.id }}" } }`,
  );
  tasks[7] = '  t7: { run: echo, env: { A: ${{ run.id }} } }';
  const problems = await parseProblems(`name: x\ntasks:\n${tasks.join('\n')}\n`);
  expect(problems.map(({ line }) => line)).toEqual([10]);
});

test('a very long line is neither searched nor shown as a whole', async () => {
  const [problem] = await parseProblems(
    `name: x\ntasks: { a: { run: ${'"x" '.repeat(20_000)}\${{ b }} } }\n`,
  );
  expect(describeProblem(problem!).length).toBeLessThan(1_000);
});

test('tags that YAML knows stay', async () => {
  expect(await parsed('name: !!str 5\ntasks: { a: { run: ls } }\n')).toMatchObject({ name: '5' });
});
