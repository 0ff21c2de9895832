import { chmodSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { gitFailureReason, moveRef, readRef, runBranch } from '../../../src/workspaces/git/index.ts';
import { plainEnvironment } from '../../support/git-orders.ts';
import { playground, shell, testGit } from '../../support/git-playground.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function failure(running: Promise<unknown>): Promise<{ reason: string; message: string }> {
  const error: unknown = await running.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { reason: String(gitFailureReason(error)), message: (error as Error).message };
}

describe('git as Piton runs it', () => {
  test('takes no notice of variables that would lead it to another repository', async () => {
    const { root } = playground();
    const other = playground('other');
    const misled = {
      GIT_DIR: join(other.root, '.git'),
      GIT_WORK_TREE: other.root,
      GIT_INDEX_FILE: '/nowhere',
      GIT_TRACE: '1',
    };
    const git = testGit({ environment: plainEnvironment(misled) });
    const { stdout, stderr } = await git.run(['rev-parse', '--show-toplevel'], { cwd: root });
    expect(stdout.trim()).toBe(root);
    expect(stderr).toBe('');
  });

  test('runs no hook, opens no editor and asks nothing', async () => {
    const { root } = playground();
    const trace = join(root, 'hook-was-here');
    for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction']) {
      writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\ntouch ${trace}\nexit 1\n`);
      chmodSync(join(root, '.git/hooks', hook), 0o755);
    }
    shell(root, 'config', 'core.editor', `touch ${trace}`);
    const identity = {
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a',
    };
    const git = testGit({ environment: plainEnvironment(identity) });
    const { reason, message } = await failure(git.run(['commit', '--allow-empty'], { cwd: root }));
    expect(reason).toBe('other');
    expect(message).toContain('empty commit message');
    expect(existsSync(trace)).toBe(false);
  });

  test('carries the marker of its driver, and not the crash points', async () => {
    const { root } = playground();
    const environment = plainEnvironment({ PITON_CRASH_AT: 'after:nothing' });
    const git = testGit({ environment, marker: { PITON_MARK_x1: '1' } });
    const { stdout } = await git.run(['-c', 'alias.show-env=!env', 'show-env'], { cwd: root });
    expect(stdout).toContain('PITON_MARK_x1=1');
    expect(stdout).not.toContain('PITON_CRASH_AT');
  });

  test('a failure names the command, the folder, what git said, and what to do', async () => {
    const folder = temporaryFolder();
    const { reason, message } = await failure(testGit().run(['status'], { cwd: folder }));
    expect(reason).toBe('not-a-repository');
    expect(message).toContain('`git status`');
    expect(message).toContain(folder);
    expect(message).toContain('git init');
  });

  test('a missing folder and a missing git are told apart', async () => {
    const gone = join(temporaryFolder(), 'gone');
    expect((await failure(testGit().run(['version'], { cwd: gone }))).reason).toBe('no-such-folder');
    const without = testGit({ environment: plainEnvironment({ PATH: '/nonexistent' }) });
    expect((await failure(without.run(['version'], { cwd: '/' }))).reason).toBe('no-git');
  });

  test('an output larger than the limit is an error, and git is ended', async () => {
    const { root } = playground();
    const endless = ['-c', 'alias.endless=!yes', 'endless'];
    const { reason, message } = await failure(testGit().run(endless, { cwd: root, maxBytes: 1_000_000 }));
    expect(reason).toBe('size');
    expect(message).toContain('1000000 bytes');
  });

  test('a git that hangs is ended with all that it has started', async () => {
    const { root } = playground();
    const pidFile = join(root, 'pid');
    const hanging = ['-c', `alias.hang=!echo $$ > ${pidFile}; exec sleep 1000`, 'hang'];
    expect((await failure(testGit().run(hanging, { cwd: root, timeoutMs: 2_000 }))).reason).toBe('time');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('a git that was killed is not taken for one that answered', async () => {
    const { root } = playground();
    const suicide = ['-c', 'alias.suicide=!kill -9 $PPID', 'suicide'];
    expect((await failure(testGit().run(suicide, { cwd: root }))).reason).toBe('killed');
  });
});

describe('a lock file that a killed git has left', () => {
  test('on a branch of Piton is removed once it is old and nobody is at work there', async () => {
    const { git, repository, base, root } = playground();
    const ref = runBranch('run-1');
    await moveRef(git, repository, { ref, to: base, from: undefined });
    writeFileSync(join(root, '.git', `${ref}.lock`), '');
    const next = shell(root, 'commit-tree', '-p', base, '-m', 'next', `${base}^{tree}`);
    expect(await moveRef(git, repository, { ref, to: next, from: base })).toEqual({ type: 'moved' });
    expect(await readRef(git, repository, ref)).toBe(next);
  });

  test('stays while a git is at work in the repository, and the error names that process', async () => {
    const { git, repository, base, root } = playground();
    const ref = runBranch('run-1');
    await moveRef(git, repository, { ref, to: base, from: undefined });
    const lock = join(root, '.git', `${ref}.lock`);
    writeFileSync(lock, '');
    utimesSync(lock, 1, 1);
    const busy = spawn('git', ['cat-file', '--batch'], { cwd: join(root, '.git'), env: plainEnvironment() });
    onTestFinished(() => void busy.kill('SIGKILL'));
    busy.stdin.write('HEAD\n');
    await new Promise((resolve) => busy.stdout.once('data', resolve));
    const next = shell(root, 'commit-tree', '-p', base, '-m', 'next', `${base}^{tree}`);
    const { reason, message } = await failure(moveRef(git, repository, { ref, to: next, from: base }));
    expect(reason).toBe('locked');
    expect(message).toContain(String(busy.pid));
    expect(existsSync(lock)).toBe(true);
  });

  test('of the user is named and never removed', async () => {
    const { git, root } = playground();
    const lock = join(root, '.git/index.lock');
    writeFileSync(lock, '');
    utimesSync(lock, 1, 1);
    const { reason, message } = await failure(git.run(['read-tree', 'HEAD'], { cwd: root }));
    expect(reason).toBe('locked');
    expect(message).toContain(lock);
    expect(existsSync(lock)).toBe(true);
  });
});
