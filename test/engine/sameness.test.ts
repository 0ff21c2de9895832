import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { samenessOf } from '../../src/engine/sameness.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('looking at the files of a folder starts no program that the folder itself names', async () => {
  const root = temporaryFolder();
  const git = (...args: string[]): unknown => execFileSync('git', ['-C', root, ...args]);
  git('init', '--quiet');
  writeFileSync(join(root, 'a'), '1');
  git('add', 'a');
  git('config', 'core.fsmonitor', `touch ${join(root, 'started')}; false`);
  writeFileSync(join(root, 'a'), '2');
  const failure = { code: 'CHECK_FAILED', message: 'no', retryable: true };
  expect(await samenessOf({ failure, said: 'no', directory: root })).toMatch(/^[0-9a-f]{64}$/);
  expect(existsSync(join(root, 'started'))).toBe(false);
});
