import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { filesChangedSince, samenessOf } from '../../src/engine/sameness.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('looking at the files of a folder starts no program that the folder itself names', async () => {
  const root = temporaryFolder();
  const git = (...args: string[]): unknown => execFileSync('git', ['-C', root, ...args]);
  git('init', '--quiet');
  writeFileSync(join(root, 'a'), '1');
  git('add', 'a');
  git('config', 'core.fsmonitor', `touch ${join(root, 'started')}; false`);
  git('config', 'filter.x.clean', `touch ${join(root, 'started')}; cat`);
  writeFileSync(join(root, '.gitattributes'), '* filter=x\n');
  writeFileSync(join(root, 'a'), '2');
  const failure = { code: 'CHECK_FAILED', message: 'no', retryable: true };
  expect(await samenessOf({ failure, said: 'no', directory: root })).toMatch(/^[0-9a-f]{64}$/);
  expect(existsSync(join(root, 'started'))).toBe(false);
});

test('the git that looks is never one that a project has installed for itself', async () => {
  const root = temporaryFolder();
  execFileSync('git', ['-C', root, 'init', '--quiet']);
  const bin = join(root, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'git'), `#!/bin/sh\ntouch '${root}/started'\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const failure = { code: 'CHECK_FAILED', message: 'no', retryable: true };
  await samenessOf({ failure, said: 'no', directory: root });
  expect(existsSync(join(root, 'started'))).toBe(false);
});

test('files that differ from a commit are those changed, added, gone and committed since, by name', async () => {
  const root = temporaryFolder();
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
    });
  git('init', '--quiet');
  for (const name of ['same', 'changed', 'gone']) writeFileSync(join(root, name), '1');
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  const base = git('rev-parse', 'HEAD').trim();
  writeFileSync(join(root, 'committed'), '1');
  git('add', '.');
  git('commit', '--quiet', '-m', 'two');
  writeFileSync(join(root, 'changed'), '2');
  writeFileSync(join(root, 'new\nline'), '');
  rmSync(join(root, 'gone'));
  expect(await filesChangedSince(base, root)).toEqual(['changed', 'committed', 'gone', 'new\nline']);
  expect(await filesChangedSince(base, temporaryFolder())).toBe(undefined);
});
