import { expect, test } from 'vitest';
import { gitEnvironment, gitSettings } from '../../../src/workspaces/git/git-environment.ts';

test('git syncs all that it writes where a loss of power is to be survived, else nothing', () => {
  expect(gitSettings('full')).toContain('core.fsync=all');
  expect(gitSettings('process')).toContain('core.fsync=none');
});

test('git runs nobody’s hooks and programs, signs nothing and asks nobody', () => {
  for (const setting of [
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'commit.gpgsign=false',
    'gc.auto=0',
  ])
    expect(gitSettings('full')).toContain(setting);
  expect(gitEnvironment({}, {})).toMatchObject({
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_EDITOR: ':',
  });
});

test('of what steers git only who the user is, and how it is installed, is handed on', () => {
  const given = {
    PATH: '/bin',
    GIT_DIR: 'x',
    GIT_INDEX_FILE: 'x',
    GIT_TRACE: '1',
    GIT_AUTHOR_NAME: 'Ada',
    PITON_CRASH_AT: 'x',
  };
  const env = gitEnvironment({ ...given, GIT_SSH_COMMAND: 'ssh -4', MISSING: undefined }, { MARK: '1' });
  expect(env).toMatchObject({ PATH: '/bin', GIT_AUTHOR_NAME: 'Ada', GIT_SSH_COMMAND: 'ssh -4', MARK: '1' });
  for (const name of ['GIT_DIR', 'GIT_INDEX_FILE', 'GIT_TRACE', 'PITON_CRASH_AT', 'MISSING'])
    expect(env).not.toHaveProperty(name);
});
