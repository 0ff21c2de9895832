import { expect, test } from 'vitest';
import { isTextPlace } from '../../src/definition/yaml/cut-text.ts';

test.for([
  'with',
  'if',
  'update',
  'run',
  'prompt',
  'check',
  'setup',
  'env',
  'approval',
  'working-directory',
  'outputs',
  'deliver',
  'state',
  'description',
])('people write text in `%s`, at any depth, of a task and of a nested one', (key) => {
  expect(isTextPlace(['tasks', 'a', key])).toBe(true);
  expect(isTextPlace(['tasks', 'a', 'tasks', 'b', key, 'further', 'in'])).toBe(true);
  expect(isTextPlace(['graph', 'node', key])).toBe(true);
  expect(isTextPlace([key])).toBe(true);
});

test.for<[(string | number)[], boolean]>([
  [['tasks', 'a', 'for-each', 'in'], true],
  [['tasks', 'a', 'for-each', 'matrix', 'os'], true],
  [['tasks', 'a', 'for-each', 'key'], true],
  [['tasks', 'a', 'for-each', 'as'], false],
  [['inputs', 'issue', 'default'], true],
  [['inputs', 'issue', 'description'], true],
  [['inputs', 'issue', 'type'], false],
  [['graph', 'node', 'next', 0, 'if'], true],
  [['graph', 'node', 'next', 0, 'to'], false],
  [['tasks', 'a', 'needs', 0], false],
  [['tasks', 'a', 'constructor'], false],
  [['name'], false],
])('%j holds text: %s', ([at, isText]) => {
  expect(isTextPlace(at)).toBe(isText);
});
