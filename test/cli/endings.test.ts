/** What a shell learns, and what a person is told to type. */
import { describe, expect, test } from 'vitest';
import { shellWord } from '../../src/base/index.ts';
import { exitCodeOfEnding, worstOf, type Ending } from '../../src/interfaces/cli/drive/ending.ts';
import { exitCodeOf } from '../../src/interfaces/cli/exit-codes.ts';
import { commandFor, shortCommands } from '../../src/interfaces/cli/command-for.ts';
import { actionsFor } from '../../src/views/index.ts';

describe('a command ends', () => {
  test.each<[Ending, number]>([
    ['succeeded', 0],
    ['failed', 1],
    ['cancelled', 1],
    ['waiting', 3],
    ['abandoned', 4],
    ['lost', 4],
    ['stopped', 130],
    ['left', 130],
  ])('of a run that is %s with %i', (ending, code) => {
    expect(exitCodeOfEnding(ending)).toBe(code);
  });

  test('of several runs with the worst of their codes', () => {
    expect(worstOf([])).toBe(0);
    expect(worstOf([0, 3, 0])).toBe(3);
    expect(worstOf([3, 1, 0])).toBe(1);
    expect(worstOf([1, 4, 3])).toBe(4);
    expect(worstOf([130, 4, 1])).toBe(130);
  });

  test.each([
    ['USAGE_INVALID', 2],
    ['DEFINITION_INVALID', 2],
    ['SECRET_MISSING', 2],
    ['RUN_NOT_FOUND', 2],
    ['COMMAND_REFUSED', 4],
    ['RUN_CHANGED', 4],
    ['RUN_DAMAGED', 4],
    ['RUN_DRIVEN', 4],
    ['RUN_ELSEWHERE', 4],
    ['RUN_LOST', 4],
    ['LEASE_LOST', 4],
    ['MERGE_REFUSED', 4],
    ['PUSH_REFUSED', 4],
    ['RUN_STOPPED', 130],
    ['STORE_FULL', 1],
  ])('in %s with %i', (error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });
});

describe('what is to be typed', () => {
  test('stays as it is where a shell reads it so', () => {
    for (const word of ['build', 'v1.2', 'a/b:c', 'x=1,2%', '@me+you', '-'])
      expect(shellWord(word)).toBe(word);
  });

  test.each([
    ['two words', `'two words'`],
    ['build[ui]', `'build[ui]'`],
    ["it's", String.raw`'it'\''s'`],
    ['$HOME', `'$HOME'`],
    ['a;b', `'a;b'`],
    ['', `''`],
    ['a\nb', `'a\nb'`],
  ])('is quoted where a shell would read %j otherwise', (word, quoted) => {
    expect(shellWord(word)).toBe(quoted);
  });

  test('names the run and the task as the command wants them', () => {
    expect(commandFor('approve', 'r 1', 'build[ui]')).toBe(`piton approve 'r 1' 'build[ui]'`);
    expect(commandFor('resume', 'r', 'build')).toBe('piton resume r');
    expect(commandFor('resolve', 'r', 'build')).toBe('piton resolve r build');
    expect(commandFor('adopt', 'r', 'build')).toBe('piton workspace adopt r build');
  });

  test('is short in passing: of the many ways to deal with a place only the first, and where the others are', () => {
    expect(shortCommands(['approve', 'reject'], 'r', 'a')).toEqual(['piton approve r a', 'piton reject r a']);
    expect(shortCommands([], 'r', 'a')).toEqual([]);
    expect(shortCommands(['recreate', 'restore', 'adopt'], 'r', 'a')).toEqual([
      'piton workspace recreate r a',
      'piton inbox  # 2 other ways, each explained',
    ]);
  });

  test('begins with going on, where a task only waits for its session', () => {
    expect(actionsFor({ actions: ['retry'], lent: 's' })).toEqual(['resume', 'retry']);
    expect(actionsFor({ actions: ['retry'] })).toEqual(['retry']);
  });

  test('begins with looking at it, where what was made can be taken as it is', () => {
    const actions = actionsFor({ actions: ['adopt', 'retry', 'recreate'] });
    expect(actions).toEqual(['diff', 'adopt', 'retry', 'recreate']);
    expect(shortCommands(actions, 'r', 'a')).toEqual([
      'piton diff r a --patch',
      'piton inbox  # 3 other ways, each explained',
    ]);
    expect(actionsFor({ actions: ['retry', 'adopt'] })).toEqual(['retry', 'adopt']);
  });
});
