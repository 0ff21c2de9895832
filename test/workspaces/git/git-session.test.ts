import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GitSession } from '../../../src/workspaces/git/git-session.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A session with a program in POSIX sh in the place of git. */
function sessionWith(script: string, timeoutMs = 60_000): { session: GitSession; folder: string } {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const session = new GitSession({ args: [], cwd: folder, env, timeoutMs, maxBytes: 1_000 } as never);
  onTestFinished(() => session.close());
  return { session, folder };
}

const line = {
  input: 'question\n',
  parse: (bytes: Buffer) => {
    const end = bytes.indexOf('\n') + 1;
    return end === 0 ? { needs: bytes.length + 1 } : { answer: bytes.toString('utf8', 0, end - 1), end };
  },
};

test('a git that says something unasked is ended: that would be taken for the next answer', async () => {
  const { session, folder } = sessionWith(
    'read -r question; echo answer; while [ ! -e go ]; do sleep 0.02; done; echo unasked; read -r question; echo late',
  );
  expect(await session.ask(line)).toBe('answer');
  writeFileSync(join(folder, 'go'), '');
  await eventually('it is ended', () => session.isOver, 10_000);
});

test('a git that does not answer is ended when its time is over', async () => {
  const { session } = sessionWith('read -r question; sleep 1000', 50);
  await expect(session.ask(line)).rejects.toMatchObject({ end: { endedFor: 'time' } });
});

test('a git that answers piece by piece is waited for, and asked again', async () => {
  const { session } = sessionWith('while read -r question; do printf one; sleep 0.05; echo two; done');
  expect(await session.ask(line)).toBe('onetwo');
  expect(await session.ask(line)).toBe('onetwo');
});
