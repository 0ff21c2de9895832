/** Items and inner tasks under what they belong to, as a frame lists them. */
import { expect, test } from 'vitest';
import type { WatchedTask } from '../../src/library/index.ts';
import { taskTree } from '../../src/interfaces/cli/progress/task-tree.ts';

function task(address: string, status: string, given: { parent?: string; isGroup?: true } = {}): WatchedTask {
  return { address, status, isGroup: false, ...given } as WatchedTask;
}

function rows(tasks: readonly WatchedTask[]): string[] {
  const isShown = ({ isGroup, status }: WatchedTask): boolean =>
    !isGroup && (status === 'running' || status === 'held');
  return taskTree(tasks, isShown, ({ status }) => (status === 'running' ? 0 : 1)).map((row) => {
    const words = 'task' in row ? row.task.status : row.words;
    return `${'  '.repeat(row.depth)}${row.name}: ${words}`;
  });
}

const item = (key: string, status: string, given = {}): WatchedTask =>
  task(`build[${key}]`, status, { parent: 'build', ...given });

test('items stand below their for-each, with how many are done, and inner tasks below theirs', () => {
  expect(
    rows([
      task('wait', 'held'),
      task('build', 'running', { isGroup: true }),
      item('ui', 'running'),
      item('api', 'running', { isGroup: true }),
      task('build[api].lint', 'running', { parent: 'build[api]' }),
      task('build[api].test', 'held', { parent: 'build[api]' }),
      item('docs', 'succeeded'),
      task('last', 'pending'),
    ]),
  ).toEqual([
    'build: 1 of 3 done',
    '  [ui]: running',
    '  [api]: 0 of 2 done',
    '    lint: running',
    '    test: held',
    'wait: held',
  ]);
});

test('what stands alone below its group has the whole address, and takes one row', () => {
  expect(
    rows([
      task('build', 'running', { isGroup: true }),
      item('ui', 'running', { isGroup: true }),
      task('build[ui].test', 'running', { parent: 'build[ui]' }),
    ]),
  ).toEqual(['build[ui].test: running']);
});

test('a long list is bounded, and the rest is counted', () => {
  const items = Array.from({ length: 30 }, (_, index) => item(String(index), 'running'));
  const shown = rows([task('build', 'running', { isGroup: true }), ...items]);
  expect(shown).toHaveLength(10);
  expect(shown.at(-1)).toBe('  …: and 22 more that run or wait');
});
