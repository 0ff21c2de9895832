/** An agent writes into the repository that all worktrees share: its configuration, attributes, hooks. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diffOf } from '../../src/workspaces/delivery/diff.ts';
import {
  addWorktree,
  archiveWorktree,
  commitResult,
  inspectRepository,
  mergeInto,
  readStatus,
  removeWorktree,
  saveTree,
  savedRef,
  taskBranch,
  type AddedWorktree,
} from '../../src/workspaces/git/index.ts';
import { at, trailers } from '../support/git-orders.ts';
import { commit, playground, shell, write, type Playground } from '../support/git-playground.ts';

interface Scene extends Playground {
  readonly worktree: AddedWorktree;
  /** What another task has made. */
  readonly other: string;
  readonly traces: string;
  program(name: string): string;
  traced(): string;
}

/** A run has begun, and a task has its place. */
async function scene(prepare: (ground: Playground, program: Scene['program']) => void = () => undefined) {
  const ground = playground();
  const traces = join(ground.folder, 'traces');
  const program = (name: string): string => `sh -c 'echo ${name} >> ${traces}; cat'`;
  prepare(ground, program);
  await ground.git.recordConfig(ground.repository, { isFirst: false });
  const worktree = await addWorktree(ground.git, ground.order());
  const other = commit(ground.root, { 'src/a.txt': 'one\ntwo\nthree of another\n' });
  rmSync(traces, { force: true });
  const traced = (): string => (existsSync(traces) ? readFileSync(traces, 'utf8') : '');
  return { ...ground, worktree, other, traces, program, traced };
}

const drivers = ['filter=x', 'merge=x', 'diff=x'].map((driver) => `* ${driver}`).join('\n');

/** Wherever git could start a program. */
function settings({ program, folder }: Pick<Scene, 'program' | 'folder'>): readonly [string, string][] {
  const hooks = join(folder, 'hooks');
  mkdirSync(hooks, { recursive: true });
  for (const name of ['post-checkout', 'pre-commit', 'reference-transaction', 'post-index-change'])
    writeFileSync(join(hooks, name), `#!/bin/sh\n${program(name)}\n`, { mode: 0o755 });
  return [
    ['filter.x.clean', program('clean')],
    ['filter.x.smudge', program('smudge')],
    ['filter.x.process', program('process')],
    ['filter.x.required', 'true'],
    ['merge.x.driver', `${program('driver')} %O %A %B`],
    ['merge.default', 'x'],
    ['diff.x.textconv', program('textconv')],
    ['diff.x.command', program('diff')],
    ['diff.external', program('external')],
    ['core.fsmonitor', program('fsmonitor')],
    ['core.pager', program('pager')],
    ['pager.diff', program('pager-diff')],
    ['core.editor', program('editor')],
    ['core.hooksPath', hooks],
    ['core.sshCommand', program('ssh')],
    ['core.askPass', program('askpass')],
    ['core.alternateRefsCommand', program('alternates')],
    ['credential.helper', `!${program('credential')}`],
    ['gpg.program', program('gpg')],
    ['log.showSignature', 'true'],
    ['alias.status', `!${program('alias')}`],
    ['extensions.partialClone', 'evil'],
    ['remote.evil.url', 'ssh://nowhere.invalid/x'],
    ['remote.evil.promisor', 'true'],
    ['remote.evil.uploadpack', program('uploadpack')],
    ['uploadpack.packObjectsHook', program('pack')],
    ['submodule.recurse', 'true'],
  ];
}

/** What is done for one task, and by the commands that show and deliver it. */
async function handle({ git, worktree, base, repository, root, other: ours }: Scene) {
  write(worktree.path, { 'src/a.txt': 'one of the task\ntwo\nthree\n', 'new.txt': 'new\n' });
  await saveTree(git, { worktree, ref: savedRef(taskBranch('run-1', 'build')), label: 'x', trailers, at });
  const ref = taskBranch('run-1', 'build');
  const made = await commitResult(git, { worktree, base, ref, message: 'work', trailers, at });
  if (made.type === 'unfinished' || made.type === 'secrets') throw new Error(made.type);
  const sides = { repository, ours, theirs: made.commit, message: 'm', trailers, at };
  const merged = await mergeInto(git, sides);
  await readStatus(git, worktree, { withIgnored: true });
  await inspectRepository(git, root);
  const shown = { repository: { ...repository, root, base, prefix: '' }, from: base, columns: 80 };
  const to = { type: 'commit', commit: made.commit } as const;
  await diffOf(git, { ...shown, to, form: 'patch', isColoured: true });
  await archiveWorktree(git, { worktree, trailers, at, caches: [] });
  return { made, merged };
}

describe('what an agent writes into the configuration of the repository', () => {
  test('starts nothing, whatever it is', async () => {
    const ground = await scene();
    for (const [key, value] of settings(ground)) shell(ground.root, 'config', '--local', key, value);
    write(ground.worktree.path, { '.gitattributes': `${drivers}\n` });
    write(ground.repository.commonDir, { 'info/attributes': `${drivers}\n` });
    const { merged } = await handle(ground);
    expect(ground.traced()).toBe('');
    expect(merged.type).toBe('merged');
    const { git, order } = ground;
    expect(await removeWorktree(git, order())).toEqual({ type: 'removed' });
    await addWorktree(git, { ...order('next'), branch: taskBranch('run-1', 'next') });
    expect(ground.traced()).toBe('');
  });
});
