import { expect, test } from 'vitest';
import { waitingText } from '../../src/interfaces/cli/show/waiting-text.ts';
import { describeTask } from '../../src/interfaces/cli/task-lines.ts';
import type { TaskView, Waiting } from '../../src/library/index.ts';

const heldBy = ['a', 'b'];

test.for<[Waiting, string | undefined]>([
  [{ for: 'needs', tasks: heldBy }, 'a, b'],
  [{ for: 'resume' }, 'the run to be resumed'],
  [{ for: 'resume', reason: 'lunch' }, 'the run to be resumed: lunch'],
  [{ for: 'parallelism', heldBy }, 'room: as many tasks as may run at once are at work (a, b)'],
  [{ for: 'items', name: 'all', heldBy }, 'room: as many items as may run at once are at work (a, b)'],
  [{ for: 'pool', name: 'all', heldBy }, 'a place of its pool: all are taken (a, b)'],
  [{ for: 'lock', name: 'db', heldBy: ['a'] }, 'the lock db, held by a'],
  [{ for: 'merge', heldBy: ['a'] }, 'its turn to merge, after a'],
  [{ for: 'folder', heldBy: ['a'] }, 'the folder, in which a is at work'],
  [{ for: 'agents', agents: ['claude'], until: 1, reason: 'the limit' }, 'claude'],
  [{ for: 'time', until: 1, reason: 'a retry' }, undefined],
])('%j reads: %s', ([waiting, text]) => {
  expect(waitingText(waiting)).toBe(text);
});

test('a list of tasks says what keeps one that could start', () => {
  const task = { name: 't', needs: [], stage: 'work', attempts: 0 } as const;
  const described = (status: TaskView['status'], waiting: Waiting): string =>
    describeTask({ ...task, status, waiting }, 0);
  expect(described('queued', { for: 'folder', heldBy: ['a'] })).toBe(
    'waits for the folder, in which a is at work',
  );
  expect(described('queued', { for: 'resume' })).toBe('');
  expect(described('pending', { for: 'needs', tasks: ['a'] })).toBe('');
});
