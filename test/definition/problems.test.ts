import { describe, expect, test } from 'vitest';
import {
  definitionError,
  describeProblem,
  isReported,
  renderPath,
  toCodeProblem,
  type Problem,
} from '../../src/definition/problems.ts';

const problem: Problem = {
  file: 'flow.yaml',
  line: 3,
  column: 5,
  path: 'tasks.a',
  message: 'It is wrong.',
  remedy: 'Mend it.',
};
const { remedy: _, ...withoutRemedy } = problem;

describe('a problem is told in one line: where, what, and what to do', () => {
  test.each<[string, Problem, string]>([
    ['everything is known', problem, 'flow.yaml:3:5 tasks.a: It is wrong. Mend it.'],
    ['there is no remedy', withoutRemedy, 'flow.yaml:3:5 tasks.a: It is wrong.'],
    ['it is about the file as a whole', { ...problem, path: '' }, 'flow.yaml:3:5: It is wrong. Mend it.'],
    [
      'its place in the file is not known',
      { file: 'flow.yaml', path: 'tasks.a', message: 'It is wrong.' },
      'flow.yaml tasks.a: It is wrong.',
    ],
    [
      'only its line is known',
      { file: 'flow.yaml', line: 3, path: 'tasks.a', message: 'It is wrong.' },
      'flow.yaml:3 tasks.a: It is wrong.',
    ],
    [
      'there is no file',
      { path: 'tasks.a', message: 'It is wrong.', remedy: 'Mend it.' },
      'tasks.a: It is wrong. Mend it.',
    ],
    ['nothing says where it is', { path: '', message: 'It is wrong.' }, 'It is wrong.'],
  ])('where %s', (_case, given, expected) => {
    expect(describeProblem(given)).toBe(expected);
  });
});

describe('the error of a definition', () => {
  const many = (count: number): Problem[] =>
    Array.from({ length: count }, (_, index) => ({ path: `tasks.t${index}`, message: 'It is wrong.' }));
  const linesOf = (count: number): string[] => definitionError(many(count), 'It').message.split('\n');

  test('says how many problems there are, and lists them', () => {
    expect(linesOf(1)).toEqual(['It has a problem:', '  tasks.t0: It is wrong.']);
    expect(linesOf(2)).toEqual([
      'It has 2 problems:',
      '  tasks.t0: It is wrong.',
      '  tasks.t1: It is wrong.',
    ]);
  });

  test('shows the first fifty, and how many more there are', () => {
    expect(linesOf(50)).toHaveLength(51);
    expect(linesOf(50).at(-1)).toBe('  tasks.t49: It is wrong.');
    expect(linesOf(51)).toHaveLength(52);
    expect(linesOf(51).slice(-2)).toEqual(['  tasks.t49: It is wrong.', '  … and 1 more']);
    expect(linesOf(53).at(-1)).toBe('  … and 3 more');
  });

  test('holds all of them for programs', () => {
    const problems = many(53);
    expect(definitionError(problems, 'It')).toMatchObject({
      code: 'DEFINITION_INVALID',
      details: { problems },
    });
  });
});

test('the path of a problem is in the words of the file', () => {
  expect(renderPath(['tasks', 'a', 'needs', 0])).toBe('tasks.a.needs[0]');
  expect(renderPath([0, 'a', 1, 2])).toBe('[0].a[1][2]');
  expect(renderPath([])).toBe('');
});

test('a problem has a remedy only if there is one', () => {
  const finding = { at: ['tasks', 'a'], message: 'It is wrong.' };
  expect(toCodeProblem(finding)).toStrictEqual({ path: 'tasks.a', message: 'It is wrong.' });
  expect(toCodeProblem({ ...finding, remedy: 'Mend it.', onKey: true })).toStrictEqual({
    path: 'tasks.a',
    message: 'It is wrong.',
    remedy: 'Mend it.',
  });
});

test('a place is reported if it, or what is inside of it, is known to be wrong', () => {
  const findings = [{ at: ['tasks', 'a', 'needs', 0], message: 'It is wrong.' }];
  const reported = (...at: (string | number)[]) => isReported(at, findings);
  expect([reported(), reported('tasks'), reported('tasks', 'a', 'needs', 0)]).toEqual([true, true, true]);
  expect([reported('graph'), reported('tasks', 'b'), reported('tasks', 'a', 'if')]).toEqual([
    false,
    false,
    false,
  ]);
  expect(reported('tasks', 'a', 'needs', 0, 'x')).toBe(false);
  expect(isReported([], [])).toBe(false);
});
