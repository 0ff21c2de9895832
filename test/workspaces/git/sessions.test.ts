import {
  chmodSync,
  existsSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  dropRefs,
  findObjects,
  gitFailureReason,
  moveRef,
  readObjects,
  readRef,
  runBranch,
  taskBranch,
  type Git,
  type GitOptions,
} from '../../../src/workspaces/git/index.ts';
import { eventually } from '../../support/eventually.ts';
import {
  commit,
  gitBehind,
  playground,
  shell,
  testGit,
  type Playground,
} from '../../support/git-playground.ts';
import { startProgram } from '../../support/start-program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Started {
  readonly pid: number;
  readonly args: string;
}

interface Ground extends Playground {
  /** All gits that were started, in their order. */
  started(): readonly Started[];
  readonly PATH: string;
}

/** A repository whose gits write down that they were started, before they do what `script` says, or what they should. */
function ground(script = '', options: Partial<GitOptions> = {}): Ground {
  const log = join(temporaryFolder(), 'started');
  writeFileSync(log, '');
  const environment = gitBehind(`echo "$$ $*" >> '${log}'\n${script}\nexec "$GIT" "$@"`);
  const git = testGit({ environment, ...options });
  onTestFinished(() => git.close());
  const started = (): Started[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ pid: Number.parseInt(line, 10), args: line.replace(/^\d+ (-c \S+ )*/, '') }));
  return { ...playground(), git, started, PATH: environment['PATH']! };
}

const questions = 'cat-file --batch-command -z';
const changes = 'update-ref --stdin -z';

function kindsOf(started: readonly Started[]): string[] {
  return started.map(({ args }) => args);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function reasonOf(acting: Promise<unknown>): Promise<unknown> {
  return acting.then(
    () => 'done',
    (error: unknown) => gitFailureReason(error) ?? error,
  );
}

describe('a git that stays', () => {
  test('answers many questions and makes many changes, whoever asks at once', async () => {
    const { git, repository, base, started } = ground();
    const tasks = Array.from({ length: 20 }, (_, index) => taskBranch('run-1', `task-${index}`));
    const moves = tasks.map((ref) => moveRef(git, repository, { ref, to: base, from: undefined }));
    expect((await Promise.all(moves)).every(({ type }) => type === 'moved')).toBe(true);
    const read = await Promise.all(tasks.map((ref) => readRef(git, repository, ref)));
    expect(new Set(read)).toEqual(new Set([base]));
    expect(kindsOf(started())).toEqual([changes, questions]);
  });

  test('reads objects of any size and content', async () => {
    const { git, repository, root } = ground();
    const contents = { empty: '', line: 'line\n', lines: '\n\n\n', header: `${'0'.repeat(40)} blob 5\n` };
    const large = 'abcdefg\n'.repeat(400_000);
    const head = commit(root, { ...contents, large }, 'contents');
    const names = [...Object.keys(contents), 'nowhere', 'large'];
    const found = await readObjects(
      git,
      repository,
      names.map((name) => `${head}:${name}`),
    );
    expect(found.map((one) => one?.content.toString())).toEqual([
      ...Object.values(contents),
      undefined,
      large,
    ]);
  });

  test('takes no name for more than a name', async () => {
    const { git, repository, base, started } = ground();
    const odd = [
      '',
      ' ',
      'x\ninfo HEAD',
      'x\0info HEAD',
      '-z',
      '--help',
      'HEAD HEAD',
      `${base} commit 5`,
      'ü',
    ];
    const found = await findObjects(git, repository, ['HEAD', ...odd, 'HEAD^{tree}', 'HEAD']);
    expect(found.map((one) => one?.type)).toEqual(['commit', ...odd.map(() => undefined), 'tree', 'commit']);
    expect(kindsOf(started())).toEqual([questions]);
  });

  test('changes no ref that is hidden in the name of another', async () => {
    const { git, repository, base, root } = ground();
    const before = shell(root, 'for-each-ref');
    const notOurs = { code: 'REF_NOT_OURS' };
    for (const separator of ['\0', '\n', ' ']) {
      const ref = `${runBranch('x')}${separator}delete refs/heads/main${separator}${base}`;
      await expect(moveRef(git, repository, { ref, to: base, from: undefined })).rejects.toMatchObject(
        notOurs,
      );
      await expect(dropRefs(git, repository, new Map([[ref, base]]))).rejects.toMatchObject(notOurs);
      const to = `${base}${separator}delete refs/heads/main`;
      await expect(moveRef(git, repository, { ref: runBranch('x'), to, from: undefined })).rejects.toThrow(
        'not the name of an object',
      );
    }
    expect(shell(root, 'for-each-ref')).toBe(before);
  });

  test('runs nothing that the configuration of the repository names', async () => {
    const { git, repository, base, root } = ground();
    const trace = join(root, 'was-run');
    const hook = join(root, '.git/hooks/reference-transaction');
    writeFileSync(hook, `#!/bin/sh\ntouch ${trace}\nexit 1\n`);
    chmodSync(hook, 0o755);
    for (const key of ['core.fsmonitor', 'core.pager', 'core.editor', 'alias.cat-file', 'alias.update-ref'])
      shell(root, 'config', key, `!touch ${trace}`);
    shell(root, 'config', 'core.hooksPath', join(root, '.git/hooks'));
    expect(await moveRef(git, repository, { ref: runBranch('run-1'), to: base, from: undefined })).toEqual({
      type: 'moved',
    });
    expect(await readRef(git, repository, runBranch('run-1'))).toBe(base);
    expect(existsSync(trace)).toBe(false);
  });

  test('sees what others write, pack and collect while it stays', async () => {
    const { git, repository, root, started } = ground();
    await readRef(git, repository, 'refs/heads/main');
    const loose = commit(root, { 'new.txt': 'new' }, 'loose');
    expect(await readRef(git, repository, 'refs/heads/main')).toBe(loose);
    shell(root, 'repack', '-adfq');
    shell(root, 'pack-refs', '--all');
    shell(root, 'prune', '--expire=now');
    const [text] = await readObjects(git, repository, ['main:new.txt']);
    expect(text?.content.toString()).toBe('new');
    const packed = commit(root, { 'new.txt': 'newer' }, 'packed');
    shell(root, 'gc', '--quiet', '--prune=now');
    expect((await readObjects(git, repository, ['main:new.txt']))[0]?.content.toString()).toBe('newer');
    expect(await readRef(git, repository, 'refs/heads/main')).toBe(packed);
    shell(root, 'update-ref', '-d', 'refs/heads/main');
    expect(await readRef(git, repository, 'refs/heads/main')).toBeUndefined();
    expect(kindsOf(started())).toEqual([questions]);
  });

  test.skipIf(process.platform !== 'linux')(
    'works where no worktree is, so that each can be removed',
    async () => {
      const { git, repository, base, started } = ground();
      await useBoth(git, repository, base);
      const folders = started().map(({ pid }) => readlinkSync(`/proc/${pid}/cwd`));
      expect(folders).toEqual([repository.commonDir, repository.commonDir]);
    },
  );
});

describe('a git that stays and does not answer', () => {
  test('because it was killed, is replaced', async () => {
    const { git, repository, base, started } = ground();
    const move = { ref: runBranch('run-1'), to: base, from: undefined };
    await readRef(git, repository, 'HEAD');
    await moveRef(git, repository, move);
    for (const { pid } of started()) process.kill(pid, 'SIGKILL');
    const back = { ref: move.ref, to: undefined, from: base };
    const both = [moveRef(git, repository, back), readRef(git, repository, 'HEAD')];
    expect(await Promise.all(both)).toEqual([{ type: 'moved' }, base]);
  });

  test('because it is stopped, is ended and replaced; and a change is not believed, but looked at', async () => {
    const { git, repository, base, started } = ground('', { answerMs: 1_000 });
    await readRef(git, repository, 'HEAD');
    const ref = runBranch('run-1');
    await moveRef(git, repository, { ref, to: base, from: undefined });
    const pids = started().map(({ pid }) => pid);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    expect(await readRef(git, repository, ref)).toBe(base);
    expect(await reasonOf(moveRef(git, repository, { ref, to: undefined, from: base }))).toBe('time');
    expect(await moveRef(git, repository, { ref, to: undefined, from: base })).toEqual({ type: 'moved' });
    await eventually('both are gone', () => !pids.some(isAlive));
  });

  test('but has made the change before it died, has made it', async () => {
    const script = `case "$*" in *update-ref*) "$GIT" "$@" > /dev/null; kill -9 $$;; esac`;
    const { git, repository, base } = ground(script, { answerMs: 1_000 });
    const move = { ref: runBranch('run-1'), to: base, from: undefined };
    expect(await moveRef(git, repository, move)).toEqual({ type: 'already' });
  });

  test('because its repository was moved away or replaced, does not answer for another', async () => {
    const { git, repository, root, folder, base } = ground();
    expect(await readRef(git, repository, 'refs/heads/main')).toBe(base);
    renameSync(root, join(folder, 'elsewhere'));
    expect(await reasonOf(readRef(git, repository, 'refs/heads/main'))).toBe('no-such-folder');
    shell(folder, 'init', '--quiet', '--initial-branch=main', root);
    expect(await readRef(git, repository, 'refs/heads/main')).toBeUndefined();
    expect(await findObjects(git, repository, [base])).toEqual([undefined]);
    rmSync(join(root, '.git'), { recursive: true });
    expect(await reasonOf(readRef(git, repository, 'refs/heads/main'))).toBe('no-such-folder');
  });

  test('because it is too old, is told by its version', async () => {
    const old = 'case "$*" in *version) echo git version 2.37.1; exit;; *" -z") exit 129;; esac';
    const { git, repository } = ground(old);
    await expect(readRef(git, repository, 'HEAD')).rejects.toMatchObject({
      code: 'GIT_TOO_OLD',
      message: expect.stringContaining('2.37.1'),
    });
  });
});

describe('gits that stay', () => {
  test('end when they are not needed any more, and can be asked again', async () => {
    const { git, repository, base, started } = ground();
    await useBoth(git, repository, base);
    git.close();
    await eventually('both are gone', () => !started().some(({ pid }) => isAlive(pid)));
    expect(await readRef(git, repository, 'HEAD')).toBe(base);
  });

  test('do not keep the process alive that has asked them', async () => {
    const { started, program } = startAsking();
    expect(await program.nextLine()).toBe('asked');
    program.child.stdin!.write('end\n');
    expect(await program.ended()).toEqual({ lines: [], by: 0 });
    await eventually('they are gone with it', () => !started().some(({ pid }) => isAlive(pid)));
  });

  test('end with a process that is killed', async () => {
    const { started, program } = startAsking();
    expect(await program.nextLine()).toBe('asked');
    expect(kindsOf(started())).toEqual([questions, changes]);
    program.child.kill('SIGKILL');
    await program.ended();
    await eventually('they are gone with it', () => !started().some(({ pid }) => isAlive(pid)));
  });
});

test.skipIf(process.platform !== 'linux')(
  'gits of another Piton that stay are not taken for holders of a lock that is older',
  async () => {
    const { git, repository, base, ...there } = ground();
    const ref = runBranch('run-1');
    shell(there.root, 'update-ref', ref, base);
    writeFileSync(join(repository.commonDir, `${ref}.lock`), '');
    const args = [JSON.stringify({ ...repository, PATH: there.PATH })];
    const program = startProgram('ask-git', { args });
    expect(await program.nextLine()).toBe('asked');
    const move = { ref, to: undefined, from: base };
    expect(await moveRef(git, repository, move)).toEqual({ type: 'moved' });
    program.child.stdin!.write('end\n');
    await program.ended();
  },
);

async function useBoth(git: Git, repository: Ground['repository'], base: string): Promise<void> {
  await readRef(git, repository, 'HEAD');
  await moveRef(git, repository, { ref: runBranch('run-1'), to: base, from: undefined });
}

function startAsking() {
  const { repository, started, PATH } = ground();
  const args = [JSON.stringify({ ...repository, PATH })];
  return { started, program: startProgram('ask-git', { args }) };
}

test('a git that says more than it was asked is not asked again: the rest would be taken for the next answer', async () => {
  const said = join(temporaryFolder(), 'said');
  const { git, repository, root, started } = ground(
    `case "$*" in *batch-command*) if [ ! -e '${said}' ]; then : > '${said}'
      head -c 1 > /dev/null; printf 'refs/heads/none missing\\nrefs/heads/none missing\\n'; exec cat > /dev/null; fi;; esac`,
  );
  expect(await readRef(git, repository, 'refs/heads/none')).toBeUndefined();
  expect((await findObjects(git, repository, ['HEAD^{commit}']))[0]?.name).toBe(
    shell(root, 'rev-parse', 'HEAD').trim(),
  );
  expect(kindsOf(started()).filter((kind) => kind === questions)).toHaveLength(2);
});
