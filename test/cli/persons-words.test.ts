/** Conflicts, checks and money, as a person would say it. */
import { expect, test } from 'vitest';
import { checkFailedText } from '../../src/interfaces/cli/progress/agent-words.ts';
import { conflictText } from '../../src/interfaces/cli/progress/place-words.ts';
import { simulate } from '../support/simulate.ts';
import { agentTask, workflow } from '../support/workflows.ts';

test.each([
  ['> test\n✗ login\n2 of 14 tests failed\n\nsee the log at /tmp/x', '2 of 14 tests failed'],
  ['Tests  2 failed | 12 passed (14)\nDuration 3s', 'Tests 2 failed | 12 passed (14)'],
  ['ok 1\nnot ok 2\n# pass 12\n# fail 2\n# skipped 0', '# fail 2'],
  ['a.ts(3,1): error TS1\nFound 3 errors.\nexit', 'Found 3 errors.'],
  ['0 failed\nsomething else', '0 failed · something else'],
])('a check that failed says how much: %j', (report, expected) => {
  expect(checkFailedText({ report: `exit code 1\n${report}`, revision: 1 })).toBe(
    `did not pass its check: ${expected}; revision 1 follows`,
  );
});

test('a conflict names the file and who has changed it', () => {
  const data = { files: ['title.txt'], report: '', revision: 0, with: ['quick'] };
  expect(conflictText('slow', data)).toBe('conflict in title.txt between slow and quick');
  expect(conflictText('slow', { ...data, revision: 1 })).toBe(
    'conflict in title.txt between slow and quick; the agent of slow is to resolve it',
  );
});

test('who has changed the same is among those whose work came in since the task began', () => {
  const repository = { root: '/p', commonDir: '/p/.git', base: 'c0', prefix: '' };
  const flow = workflow([
    agentTask('early', ['claude']),
    agentTask('quick', ['claude']),
    agentTask('slow', ['claude']),
  ]);
  const simulation = simulate(flow, { origin: { directory: '/p', repository } });
  const place = (name: string) => ({ path: `/w/${name}`, token: name, branch: name, base: 'c0' });
  for (const name of ['quick', 'slow'])
    simulation.transition(() => [{ type: 'workspace.prepared', task: name, data: place(name) }]);
  simulation.end('quick', { type: 'succeeded', output: '' });
  simulation.end('quick', { type: 'succeeded', integrated: { result: 'r', commit: 'c1' } });
  simulation.end('slow', { type: 'succeeded', output: '' });
  simulation.end('slow', {
    type: 'failed',
    failure: { code: 'MERGE_CONFLICT', message: 'it conflicts', retryable: true },
    conflict: ['title.txt'],
    report: 'both',
  });
  expect(simulation.all('conflict.found')[0]!.data).toMatchObject({ files: ['title.txt'], with: ['quick'] });
  expect(simulation.all('task.held')[0]!.data.reason).toBe(
    'conflict in title.txt between slow and quick (both sides are in /w/slow)',
  );
});
