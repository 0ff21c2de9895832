import { expect, test } from 'vitest';
import { mayNeedWorktrees, mentionsGit } from '../../src/kernel/index.ts';
import type { Workflow, WorkspaceSpec } from '../../src/model/index.ts';
import { agentTask, body, command, graph, node, task, workflow } from '../support/workflows.ts';

const runs = task('build', { work: command('make') });
const inMode = (mode: WorkspaceSpec['mode']): Workflow =>
  workflow([runs, { ...runs, name: 'other', workspace: { mode } as WorkspaceSpec }]);
const reader = agentTask('look', ['claude'], { work: { permissions: 'read' } });
const writer = agentTask('write', ['claude'], { work: { permissions: 'full' } });

test.for<[string, Workflow, boolean, boolean]>([
  ['only runs commands', workflow([runs]), false, false],
  ['has a task in a worktree', inMode('worktree'), true, true],
  ['has a task on another machine', inMode('remote'), true, true],
  ['has a task in a folder', inMode('directory'), false, false],
  ['works in worktrees', workflow([runs], { workspace: { mode: 'worktree' } as WorkspaceSpec }), true, true],
  ['delivers', workflow([runs, task('deliver', { work: { type: 'deliver' } as never })]), true, true],
  [
    'has a body that works in a worktree',
    workflow([task('body', { work: body(inMode('worktree')) })]),
    true,
    true,
  ],
  [
    'has a body that only runs commands',
    workflow([task('body', { work: body(workflow([runs])) })]),
    false,
    false,
  ],
  ['has an agent that only reads', workflow([reader]), false, false],
  ['has an agent that writes', workflow([runs, writer]), false, true],
  [
    'has a body with an agent that writes',
    workflow([task('body', { work: body(workflow([writer])) })]),
    false,
    true,
  ],
  ['is a graph of commands', graph([node('a', 'end', { work: command('make') })]), false, false],
])('a workflow that %s', ([, flow, mentions, mayNeed]) => {
  expect(mentionsGit(flow)).toBe(mentions);
  expect(mayNeedWorktrees(flow)).toBe(mayNeed);
});
