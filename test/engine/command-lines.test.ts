import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPlace } from '../support/scripted-place.ts';

test.each([
  ['a line', 'false\ntouch after', undefined],
  ['a part of a pipe, where the shell can tell', 'false | true\ntouch after', 'bash'],
])('a command of which %s fails goes no further', async (_, run, shell) => {
  const place = await openPlace();
  const started = await place.run({ task: { run, ...(shell !== undefined && { shell }) } });
  expect(await started.result()).toMatchObject({ status: 'failed' });
  expect(existsSync(join(place.folder, 'after'))).toBe(false);
});

test('a command does not work in the repository of the hook that Piton was started by', async () => {
  const environment = {
    ...process.env,
    GIT_DIR: '/elsewhere/.git',
    GIT_INDEX_FILE: 'x',
    GIT_AUTHOR_NAME: 'Ada',
  };
  const place = await openPlace({ environment });
  const started = await place.run({
    task: { run: 'echo "${GIT_DIR-none} ${GIT_INDEX_FILE-none} $GIT_AUTHOR_NAME"' },
  });
  expect(await started.result()).toMatchObject({ outputs: { task: 'none none Ada' } });
});
