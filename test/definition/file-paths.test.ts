import { expect, test } from 'vitest';
import { normalise, resolvePath } from '../../src/definition/yaml/file-paths.ts';

test.each([
  ['main.yaml', 'child.yaml', 'child.yaml'],
  ['main.yaml', './child.yaml', 'child.yaml'],
  ['flows/main.yaml', 'child.yaml', 'flows/child.yaml'],
  ['flows/main.yaml', '../child.yaml', 'child.yaml'],
  ['flows/main.yaml', 'a/../b//./child.yaml', 'flows/b/child.yaml'],
  ['main.yaml', '../child.yaml', '../child.yaml'],
  ['../main.yaml', '../child.yaml', '../../child.yaml'],
  ['../flows/main.yaml', '../../child.yaml', '../../child.yaml'],
  ['a/b/main.yaml', '../../../child.yaml', '../child.yaml'],
  ['/srv/flows/main.yaml', '../child.yaml', '/srv/child.yaml'],
  ['/srv/flows/main.yaml', '/etc/child.yaml', '/etc/child.yaml'],
  ['flows/main.yaml', '/etc/child.yaml', '/etc/child.yaml'],
  ['flows/main.yaml', 'folder/', 'flows/folder'],
])('from %s, %s is %s', (from, path, expected) => {
  expect(resolvePath(from, path)).toBe(expected);
});

test('different ways to write a path are the same', () => {
  expect(['a/b', './a/b', 'a//b', 'a/./b', 'x/../a/b', 'a/b/'].map(normalise)).toEqual(
    Array.from({ length: 6 }, () => 'a/b'),
  );
  expect(normalise('../../a')).toBe('../../a');
  expect(normalise('/a/../b')).toBe('/b');
});
