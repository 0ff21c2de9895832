import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Run } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { git, openRepository, type RepositoryPlace } from '../support/repository-place.ts';

const token = 'hunter2-hunter2-of-mine';
const pem = `-----BEGIN KEY-----\n${'QUJD'.repeat(16)}\n${'REVG'.repeat(16)}\n-----END KEY-----\n`;
const environment = {
  ...process.env,
  TOKEN: token,
  PEM: pem,
  TINY: 'admin',
  OF_PROJECT: 'of-the-whole-project',
};
const commit = 'git -c user.name=t -c user.email=t@localhost commit -qam';

async function open(): Promise<RepositoryPlace> {
  return openRepository({ environment, secrets: ['OF_PROJECT'] });
}

/** What the task `a` leaves in its worktree. */
function left(text: string): Record<string, unknown> {
  return { a: leaving(text) };
}

function leaving(run: string): object {
  return { run, secrets: ['TOKEN', 'PEM', 'TINY'], workspace: 'worktree' };
}

async function reasonOf(run: Run, task = 'a'): Promise<string> {
  let reason: string | undefined;
  await eventually('it is held, or over', async () => {
    const { status, tasks } = await run.checkpoint();
    const a = tasks[task];
    reason = a!.status === 'held' ? (a!.reason ?? '') : undefined;
    return reason !== undefined || status !== 'running';
  });
  return reason ?? 'not held';
}

/** All that can be reached from the branch of the run. */
function branchOf(repository: string): string {
  const objects = git(repository, 'rev-list', '--objects', 'piton/run')
    .split('\n')
    .map((line) => line.split(' ')[0]!);
  const input = `${objects.join('\n')}\n`;
  return execFileSync('git', ['cat-file', '--batch'], { cwd: repository, input, encoding: 'latin1' });
}

const forms: readonly (readonly [where: string, text: string, said: string | RegExp])[] = [
  ['in a new file', 'mkdir -p deep; echo "x=$TOKEN" > deep/config.ini', 'TOKEN in deep/config.ini'],
  ['in a file that was there', 'echo "$TOKEN" >> a.txt', 'TOKEN in a.txt'],
  ['of the project', 'echo of-the-whole-project > b.txt', 'OF_PROJECT in b.txt'],
  ['in a binary file', `printf 'a\\0\\377%s\\0' "$TOKEN" > b.bin`, 'TOKEN in b.bin'],
  ['a line of several', `printf '%s' "$PEM" | sed -n 2p > b.txt`, 'PEM in b.txt'],
  ['as JSON', `node -e 'console.log(JSON.stringify(process.env.PEM))' > b.json`, 'PEM in b.json'],
  ['in the name of a file', 'echo x > "$TOKEN.txt"', /TOKEN in \*\*\*.txt/],
  [
    'across the pieces of a large file',
    `node -e 'process.stdout.write("x".repeat(65530) + process.env.TOKEN + "y".repeat(5e6))' > big`,
    'TOKEN in big',
  ],
  [
    'in a commit that a later one has taken back',
    `echo "$TOKEN" > b.txt; git add b.txt; ${commit} one; git rm -q b.txt; echo y >> a.txt; ${commit} two`,
    'TOKEN in b.txt',
  ],
  [
    'in the message of a commit',
    `echo y >> a.txt; ${commit} "for $TOKEN"`,
    /TOKEN in the message of commit [0-9a-f]{40}/,
  ],
];

test('a result that holds a secret is held, with file and name, and does not come to the branch of the run', async () => {
  const { run, repository } = await open();
  // All at once, as many tasks: each has a worktree of its own.
  const started = await run(Object.fromEntries(forms.map(([, text], index) => [`t${index}`, leaving(text)])));
  const reasons = await Promise.all(forms.map((_, index) => reasonOf(started, `t${index}`)));
  const missed = forms.flatMap(([where, , said], index) =>
    new RegExp(said).test(reasons[index]!) ? [] : [`${where}: ${reasons[index]}`],
  );
  expect(missed).toEqual([]);
  expect(reasons.join('\n')).not.toContain(token);
  expect(branchOf(repository)).not.toMatch(/hunter2|of-the-whole|QUJDQUJD/);
});

test('what is short, or was in the file before, does not hold', async () => {
  const { run, repository } = await open();
  writeFileSync(join(repository, 'a.txt'), `${token}\n`);
  git(repository, 'commit', '-qam', 'it was there');
  const started = await run(left('echo "and $TINY" >> a.txt'));
  expect(await reasonOf(started)).toBe('not held');
  expect(branchOf(repository)).toContain('and admin');
});

describe('a person', () => {
  async function held(text: string) {
    const place = await open();
    const run = await place.run(left(text));
    await reasonOf(run);
    const { path } = (await run.checkpoint()).tasks['a']!.workspace!;
    return { ...place, started: run, path };
  }

  test('takes it out, and goes on: nothing of it is in the branch', async () => {
    const { started, path, repository } = await held('echo "$TOKEN" > b.txt; echo good > c.txt');
    rmSync(join(path, 'b.txt'));
    await started.retry('a');
    expect((await started.result()).status).toBe('succeeded');
    expect(branchOf(repository)).toContain('good');
    expect(branchOf(repository)).not.toContain(token);
  });

  test('takes it out of a commit too, as the reason says', async () => {
    const { started, path, repository } = await held(
      `echo "$TOKEN" > b.txt; echo good > c.txt; git add .; ${commit} one`,
    );
    const [, command] = /: (git -C \S+ reset --soft \w+)/.exec(await reasonOf(started))!;
    execFileSync('sh', ['-c', command!]);
    rmSync(join(path, 'b.txt'));
    await started.retry('a');
    expect((await started.result()).status).toBe('succeeded');
    expect(branchOf(repository)).toContain('good');
    expect(branchOf(repository)).not.toContain(token);
  });

  test('is not offered first what would publish it', async () => {
    const { started } = await held('echo "$TOKEN" > b.txt');
    const { actions } = (await started.checkpoint()).tasks['a']!;
    expect(actions?.[0]).toBe('retry');
    expect(actions).toContain('adopt');
  });

  test('takes it as it is', async () => {
    const { started, repository, path } = await held('echo "$TOKEN" > b.txt');
    expect(readFileSync(join(path, 'b.txt'), 'utf8')).toContain(token);
    await started.place('a', 'adopt');
    expect((await started.result()).status).toBe('succeeded');
    expect(git(repository, 'show', 'piton/run:b.txt')).toBe(token);
  });
});
