import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitDelivery } from '../../../src/workspaces/delivery/git-delivery.ts';
import type { Delivery, PullRequest, PullRequestOrder } from '../../../src/workspaces/index.ts';
import { commit, gitBehind, shell, testGit, userState } from '../../support/git-playground.ts';
import { plainEnvironment } from '../../support/git-orders.ts';
import { pathWithoutGh, standInGh, type StandInGh } from '../../support/stand-in-gh.ts';
import { account, commitToRun, identity, runGround, type RunGround } from './run-ground.ts';

interface ReviewGround extends Omit<RunGround, 'order'> {
  readonly remote: string;
  readonly gh: StandInGh;
  readonly environment: Readonly<Record<string, string>>;
  delivery(settings?: { remote?: string; command?: string }): Delivery;
  order(more?: Partial<PullRequestOrder>): PullRequestOrder;
  /** What a branch is at in the remote repository. */
  at(branch: string): string | undefined;
}

/** The checkout has a bare repository as its `origin`, and `gh` is a stand-in. */
function reviewGround(): ReviewGround {
  const ground = runGround();
  const { folder, root, repository } = ground;
  const remote = join(folder, 'remote.git');
  shell(folder, 'clone', '--quiet', '--bare', root, remote);
  shell(remote, 'branch', '-D', '--quiet', 'piton/r1');
  shell(root, 'remote', 'add', 'origin', '../remote.git');
  const gh = standInGh(folder);
  const path = `${gh.bin}${delimiter}${process.env['PATH']}`;
  const environment = plainEnvironment({ ...identity, PATH: path });
  return {
    ...ground,
    remote,
    gh,
    environment,
    delivery: (settings = {}) => gitDelivery({ git: testGit({ environment }), environment, settings }),
    order: (more = {}) => ({ repository, account, isDraft: false, ...more }),
    at: (branch) =>
      shell(remote, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`) || undefined,
  };
}

describe('a pull request', () => {
  test('is opened of the branch of the run, into what the remote takes for its main branch', async () => {
    const ground = reviewGround();
    const before = userState(ground.root);
    const { tip } = ground;
    expect(await ground.delivery().openPullRequest(ground.order())).toEqual({
      url: 'https://git.example/pull/1',
      remote: 'origin',
      branch: 'piton/r1',
      base: 'main',
      commit: tip,
      existed: false,
      pushed: true,
    });
    expect(ground.at('piton/r1')).toBe(tip);
    expect(ground.at('main')).toBe(ground.base);
    expect(ground.gh.opened()).toEqual(['piton/r1 main false Built the interface']);
    expect(ground.gh.body()).toMatch(
      /^Built the interface\.\n\n<details>\n<summary>How it was made: 2 tasks, 1 check passed, \$0\.12</,
    );
    expect(userState(ground.root).replaceAll(/^(refs|logs\/refs)\/remotes.*$\n/gm, '')).toBe(before);
  });

  test('is as it is asked for: base, branch, draft, title and text', async () => {
    const ground = reviewGround();
    const order = ground.order({
      base: 'next',
      branch: 'topic/x',
      isDraft: true,
      title: 'A "title" $HOME',
      body: 'Text\n',
    });
    expect(await ground.delivery().openPullRequest(order)).toMatchObject({ base: 'next', branch: 'topic/x' });
    expect(ground.gh.opened()).toEqual(['topic/x next true A "title" $HOME']);
    expect([ground.gh.body(), ground.at('topic/x')]).toEqual(['Text\n', ground.tip]);
  });

  test('that is there is found, and nothing is pushed or opened twice', async () => {
    const ground = reviewGround();
    const { url } = await ground.delivery().openPullRequest(ground.order());
    const again = await ground.delivery().openPullRequest(ground.order({ base: 'main' }));
    expect(again).toMatchObject({ url, existed: true, pushed: false });
    expect(ground.gh.opened()).toHaveLength(1);
  });

  test('into another base is another one', async () => {
    const ground = reviewGround();
    await ground.delivery().openPullRequest(ground.order());
    const other = await ground.delivery().openPullRequest(ground.order({ base: 'next' }));
    expect(other).toMatchObject({ existed: false, base: 'next' });
  });

  test('gets what the run has made since', async () => {
    const ground = reviewGround();
    await ground.delivery().openPullRequest(ground.order());
    const later = commitToRun(ground, { 'more.txt': 'more' });
    const again = await ground.delivery().openPullRequest(ground.order());
    expect(again).toMatchObject({ existed: true, pushed: true, commit: later });
    expect(ground.at('piton/r1')).toBe(later);
  });

  test('that somebody else opens in between is found', async () => {
    const ground = reviewGround();
    await ground.delivery().openPullRequest(ground.order());
    ground.gh.behave('slow-list');
    expect(await ground.delivery().openPullRequest(ground.order())).toMatchObject({ existed: true });
    expect(ground.gh.opened()).toHaveLength(1);
  });

  test('of which gh does not say that it has opened it is found', async () => {
    const ground = reviewGround();
    ground.gh.behave('mute');
    const opened = await ground.delivery().openPullRequest(ground.order());
    expect(opened).toMatchObject({ url: 'https://git.example/pull/1', existed: true });
  });
});

describe('what is pushed', () => {
  test('goes to the remote that is configured, or to that of the base', async () => {
    const ground = reviewGround();
    const fork = join(ground.folder, 'fork.git');
    shell(ground.folder, 'clone', '--quiet', '--bare', ground.remote, fork);
    shell(ground.root, 'remote', 'add', 'fork', fork);
    expect(await ground.delivery({ remote: 'fork' }).openPullRequest(ground.order())).toMatchObject({
      remote: 'fork',
    });
    expect([shell(fork, 'rev-parse', 'piton/r1'), ground.at('piton/r1')]).toEqual([ground.tip, undefined]);
    shell(ground.root, 'config', 'branch.main.remote', 'fork');
    expect(await ground.delivery().openPullRequest(ground.order())).toMatchObject({
      remote: 'fork',
      pushed: false,
    });
  });

  test('never replaces what somebody else has pushed', async () => {
    const ground = reviewGround();
    await ground.delivery().openPullRequest(ground.order());
    const clone = join(ground.folder, 'clone');
    shell(ground.folder, 'clone', '--quiet', '--branch', 'piton/r1', ground.remote, clone);
    const theirs = commit(clone, { 'theirs.txt': 'x' });
    shell(clone, 'push', '--quiet', 'origin', 'piton/r1');
    commitToRun(ground, { 'more.txt': 'more' });
    await expect(ground.delivery().openPullRequest(ground.order())).rejects.toMatchObject({
      code: 'PUSH_REFUSED',
      message: expect.stringContaining('Somebody else has pushed to piton/r1 at origin'),
    });
    shell(ground.root, 'fetch', '--quiet', 'origin');
    await expect(ground.delivery().openPullRequest(ground.order())).rejects.toMatchObject({
      code: 'PUSH_REFUSED',
    });
    expect(ground.at('piton/r1')).toBe(theirs);
  });

  test('nor what somebody pushes in the very moment', async () => {
    const ground = reviewGround();
    const { remote, base, environment } = ground;
    const theirs = `case " $* " in *" push "*) GIT_DIR='${remote}' "$GIT" update-ref refs/heads/piton/r1 ${base};; esac
      exec "$GIT" "$@"`;
    const git = testGit({ environment: gitBehind(theirs, identity) });
    const delivery = gitDelivery({ git, environment, settings: {} });
    await expect(delivery.openPullRequest(ground.order())).rejects.toMatchObject({ code: 'PUSH_REFUSED' });
    expect(ground.at('piton/r1')).toBe(base);
  });

  test('replaces what was pushed of the same run before it was made anew', async () => {
    const ground = reviewGround();
    await ground.delivery().openPullRequest(ground.order());
    shell(ground.root, 'update-ref', 'refs/heads/piton/r1', ground.base);
    const anew = commitToRun(ground, { 'other.txt': 'x' });
    expect(await ground.delivery().openPullRequest(ground.order())).toMatchObject({ pushed: true });
    expect(ground.at('piton/r1')).toBe(anew);
  });

  test('never moves the branch that it is to be merged into', async () => {
    const ground = reviewGround();
    for (const more of [
      { branch: 'main' },
      { branch: 'main', base: 'next' },
      { branch: 'next', base: 'next' },
    ]) {
      await expect(ground.delivery().openPullRequest(ground.order(more))).rejects.toMatchObject({
        code: 'PUSH_REFUSED',
      });
    }
    expect([ground.at('main'), ground.at('next')]).toEqual([ground.base, undefined]);
  });

  test('has a name that can be one', async () => {
    const ground = reviewGround();
    for (const branch of ['a..b', '-x', '@{-1}', '']) {
      await expect(ground.delivery().openPullRequest(ground.order({ branch }))).rejects.toMatchObject({
        code: 'PUSH_REFUSED',
      });
    }
  });

  test('is refused with the words of the remote, if that does not take it', async () => {
    const ground = reviewGround();
    writeFileSync(
      join(ground.remote, 'hooks/pre-receive'),
      '#!/bin/sh\necho "only on Mondays" >&2; exit 1\n',
      { mode: 0o755 },
    );
    await expect(ground.delivery().openPullRequest(ground.order())).rejects.toMatchObject({
      code: 'PUSH_REFUSED',
      message: expect.stringContaining('only on Mondays'),
    });
    expect(ground.gh.calls()).toEqual([]);
  });

  test('needs a remote that is there, and an answer of it', async () => {
    const ground = reviewGround();
    await expect(
      ground.delivery({ remote: 'upstream' }).openPullRequest(ground.order()),
    ).rejects.toMatchObject({
      code: 'PUSH_FAILED',
      message: expect.stringContaining('no remote upstream. It has origin.'),
    });
    rmSync(ground.remote, { recursive: true });
    await expect(ground.delivery().openPullRequest(ground.order())).rejects.toMatchObject({
      code: 'PUSH_FAILED',
      message: expect.stringContaining('could not be reached'),
    });
  });

  test('is something: a run that has made nothing has no pull request', async () => {
    const ground = reviewGround();
    shell(ground.root, 'update-ref', 'refs/heads/piton/r1', ground.base);
    await expect(ground.delivery().openPullRequest(ground.order())).rejects.toMatchObject({
      code: 'NOTHING_TO_DELIVER',
    });
  });
});

describe('without a gh that can open it, the branch is pushed all the same, and it is said what to do', () => {
  test('if there is none', async () => {
    const ground = reviewGround();
    const environment = { ...ground.environment, PATH: pathWithoutGh(ground.folder) };
    const delivery = gitDelivery({ git: testGit({ environment }), environment, settings: {} });
    await expect(delivery.openPullRequest(ground.order())).rejects.toMatchObject({
      code: 'PULL_REQUEST_FAILED',
      message: expect.stringContaining('piton/r1 is pushed to origin, but no pull request was opened: gh'),
      remedy: expect.stringMatching(/^Install it .+ Then do it again/),
      details: { reason: 'no-gh' },
    });
    expect(ground.at('piton/r1')).toBe(ground.tip);
  });

  test('if it is not logged in, or the service is broken; later it is opened', async () => {
    const ground = reviewGround();
    ground.gh.behave('logged-out');
    await expect(ground.delivery().openPullRequest(ground.order())).rejects.toMatchObject({
      details: { reason: 'not-logged-in', branch: 'piton/r1' },
      remedy: expect.stringContaining('gh auth login'),
    });
    ground.gh.behave('broken');
    await expect(ground.delivery().openPullRequest(ground.order())).rejects.toMatchObject({
      message: expect.stringContaining('502'),
    });
    ground.gh.behave('well');
    expect(await ground.delivery().openPullRequest(ground.order())).toMatchObject({
      existed: false,
      pushed: false,
    });
  });
});

describe('a command of the user instead of gh', () => {
  const command = `echo "$PITON_PR_ACTION" >> calls
    if [ "$PITON_PR_ACTION" = find ]; then cat pulls 2>/dev/null || true; exit 0; fi
    env | grep ^PITON_PR_ | grep -v BODY | sort > told
    printf %s "$PITON_PR_BODY" > body
    echo 'some words'; echo https://review.example/7 | tee pulls`;

  test('is asked first whether there is one, and told all about it', async () => {
    const ground = reviewGround();
    const delivery = ground.delivery({ command });
    const order = ground.order({ isDraft: true, body: 'a\nb' });
    const opened = await delivery.openPullRequest(order);
    expect(opened).toMatchObject({ url: 'https://review.example/7', existed: false, base: 'main' });
    expect(await delivery.openPullRequest(order)).toMatchObject({
      url: 'https://review.example/7',
      existed: true,
    });
    const read = (name: string): string => readFileSync(join(ground.root, name), 'utf8');
    expect(read('calls')).toBe('find\nopen\nfind\n');
    expect(read('body')).toBe('a\nb');
    expect(read('told').trim().split('\n')).toEqual([
      'PITON_PR_ACTION=open',
      'PITON_PR_BASE=main',
      'PITON_PR_BRANCH=piton/r1',
      `PITON_PR_COMMIT=${ground.tip}`,
      'PITON_PR_DRAFT=true',
      'PITON_PR_REMOTE=origin',
      'PITON_PR_TITLE=Built the interface',
    ]);
    expect(ground.gh.calls()).toEqual([]);
  });

  test('that fails, or does not say an address, is told with its words', async () => {
    const ground = reviewGround();
    await expect(
      ground.delivery({ command: 'echo no server >&2; exit 3' }).openPullRequest(ground.order()),
    ).rejects.toMatchObject({
      code: 'PULL_REQUEST_FAILED',
      message: expect.stringMatching(/ended with 3.*no server/),
    });
    await expect(
      ground
        .delivery({ command: '[ $PITON_PR_ACTION = find ] || echo done' })
        .openPullRequest(ground.order()),
    ).rejects.toMatchObject({ code: 'PULL_REQUEST_FAILED', message: expect.stringContaining('"done"') });
  });
});

describe('the program that delivers for a run', () => {
  interface Ending {
    readonly status: number | null;
    readonly signal: string | null;
    readonly stdout: string;
    readonly stderr: string;
    readonly output: PullRequest | undefined;
  }

  async function deliver(ground: ReviewGround, env: Readonly<Record<string, string>> = {}): Promise<Ending> {
    const { argv, input } = await ground.delivery().process(ground.order());
    const file = join(ground.folder, 'output.json');
    const [program = '', ...args] = argv;
    const ended = spawnSync(program, args, {
      input,
      encoding: 'utf8',
      env: { ...ground.environment, PITON_OUTPUT: file, ...env },
    });
    const output = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PullRequest) : undefined;
    return { ...ended, output };
  }

  test('writes what came of it where its output is looked for', async () => {
    const ground = reviewGround();
    const { status, stdout, output } = await deliver(ground);
    const url = 'https://git.example/pull/1';
    expect([status, stdout]).toEqual([0, `pushed piton/r1 to origin\nopened ${url}\n`]);
    expect(output).toEqual({ url, branch: 'piton/r1', base: 'main', commit: ground.tip, existed: false });
  });

  test('says why it could not', async () => {
    const ground = reviewGround();
    ground.gh.behave('logged-out');
    const { status, stderr, output } = await deliver(ground);
    expect([status, output]).toEqual([1, undefined]);
    expect(stderr).toContain('gh is not logged in');
  });

  test('killed between any two of its effects and started again, has opened exactly one', async () => {
    const places = ['git.branch-pushed', 'pull-request.opened'].flatMap((name) => [
      `before:${name}`,
      `after:${name}`,
    ]);
    for (const place of places) {
      const ground = reviewGround();
      expect(await deliver(ground, { PITON_CRASH_AT: place })).toMatchObject({ signal: 'SIGKILL' });
      const { status, output } = await deliver(ground);
      const existed = place === 'after:pull-request.opened';
      expect([place, status, output?.existed, ground.at('piton/r1')]).toEqual([
        place,
        0,
        existed,
        ground.tip,
      ]);
      expect([place, ...ground.gh.opened()]).toEqual([place, 'piton/r1 main false Built the interface']);
    }
  });
});
