/** Results that change what programs are told to do, and changes of the shared repository, are held for a person. */
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Run, RunEvent } from '../../src/index.ts';
import { Git } from '../../src/workspaces/git/index.ts';
import { shell, write } from '../support/git-playground.ts';
import { scene } from '../support/integrate-scene.ts';
import { edit, git, openRepository } from '../support/repository-place.ts';
import { played } from '../support/scripted-place.ts';

function config(root: string): string {
  return join(root, '.git/config');
}

async function firstHold(run: Run): Promise<RunEvent> {
  for await (const event of run.events()) if (event.type === 'task.held') return event;
  throw new Error('it was not held');
}

const steering = [
  '.piton/config.yaml',
  '.piton/workflows/ship.yaml',
  'packages/api/.piton/config.yaml',
  '.PITON/config.yaml',
  '.claude/settings.json',
  '.codex/config.toml',
  '.mcp.json',
  'sub/.mcp.json',
  '.vscode/mcp.json',
  '.gitattributes',
  'src/.gitattributes',
  '.gitmodules',
  '.husky/pre-commit',
  '.githooks/pre-push',
  '.pre-commit-config.yaml',
  '.github/workflows/ci.yml',
  '.github/actions/x/action.yml',
  '.gitlab-ci.yml',
  'Jenkinsfile',
  '.github/hooks/a.json',
  '.gitlab-ci.yaml',
  '.pi\u200Cton/config.yaml',
  '.claude./settings.json',
  '.kiro/hooks/a.json',
  '.zed/tasks.json',
  '.lefthook.toml',
  'lefthook-local.yml',
  '.lintstagedrc.json',
  '.huskyrc',
  'simple-git-hooks.cjs',
  '.build.yml',
];

describe('a file that tells programs what to do', () => {
  test.for([[], ['**'], ['.'], ['**/*'], ['{.*,*}/**', '[.Jls]*', '.*']])(
    'is held, where this may be written: %j',
    async (writes) => {
      const ground = await scene();
      const worker = await ground.worker('build', { writes });
      for (const path of [...steering, 'src/a.txt']) write(worker.path, { [path]: '# x\n' });
      expect(await worker.integrate()).toEqual({ type: 'steering', files: steering.toSorted() });
      expect(ground.runTip()).toBe(ground.base);
    },
  );

  test('comes in if `writes` names it, or a person adopts it', async () => {
    const ground = await scene();
    const files = { '.github/workflows/ci.yml': 'x', 'src/a.txt': 'mine' };
    const named = await ground.worker('named', { writes: ['.github/workflows/*.yml', 'src'] });
    write(named.path, files);
    expect((await named.integrate()).type).toBe('integrated');
    const adopted = await ground.worker('adopted');
    write(adopted.path, { '.claude/settings.json': '{}' });
    expect(await adopted.integrate()).toEqual({ type: 'steering', files: ['.claude/settings.json'] });
    expect((await adopted.integrate({ isAdopted: true })).type).toBe('integrated');
  });

  test('that was there before, and others that only look like one, hold nothing', async () => {
    const ground = await scene();
    const worker = await ground.worker('build');
    write(worker.path, {
      '.github/CODEOWNERS': 'x',
      'src/piton.ts': 'x',
      'docs/.claude.md': 'x',
      '.gitignore': 'x',
      'build.ts': 'x',
      'src/drone.ts': 'x',
      'lefthook/a.ts': 'x',
      '.github/dependabot.yml': 'x',
    });
    expect((await worker.integrate()).type).toBe('integrated');
  });

  test('a link in its place, or its removal, is held as well', async () => {
    const ground = await scene();
    const worker = await ground.worker('build');
    symlinkSync('src', join(worker.path, '.piton'));
    symlinkSync('src', join(worker.path, '.github'));
    expect(await worker.integrate()).toMatchObject({ type: 'steering', files: ['.github', '.piton'] });
  });

  test('so is one that other files were renamed to, and one of which only the mode has changed, or that is gone', async () => {
    const ground = await scene();
    const first = await ground.worker('first', { writes: ['.husky', '.mcp.json', 'plain'] });
    write(first.path, {
      '.husky/pre-push': 'x\n',
      '.mcp.json': '{}',
      'plain/settings.json': '{"hooks":{}}\n',
    });
    expect((await first.integrate()).type).toBe('integrated');
    const second = await ground.worker('second');
    shell(second.path, 'mv', 'plain', '.claude');
    chmodSync(join(second.path, '.husky/pre-push'), 0o755);
    rmSync(join(second.path, '.mcp.json'));
    const files = ['.claude/settings.json', '.husky/pre-push', '.mcp.json'];
    expect(await second.integrate()).toEqual({ type: 'steering', files });
  });
});

test('a file that another task has moved to where it steers is held for who has changed it, alone or along with others', async () => {
  const ground = await scene();
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const first = await ground.worker('first');
  write(first.path, { 'plain/ci.yml': `${lines.join('\n')}\n` });
  expect((await first.integrate()).type).toBe('integrated');
  const mover = await ground.worker('mover', { writes: ['plain', '.github/workflows'] });
  const editor = await ground.worker('editor');
  const third = await ground.worker('third');
  write(third.path, { 'third.txt': '3' });
  mkdirSync(join(mover.path, '.github/workflows'), { recursive: true });
  shell(mover.path, 'mv', 'plain/ci.yml', '.github/workflows/ci.yml');
  write(editor.path, { 'plain/ci.yml': `${lines.with(20, 'evil').join('\n')}\n` });
  expect((await mover.integrate()).type).toBe('integrated');
  const tip = ground.runTip();
  expect(await editor.integrate()).toEqual({ type: 'steering', files: ['.github/workflows/ci.yml'] });
  const along = await third.integrate({ isChecked: true, others: [editor.request] });
  expect(along).toMatchObject({ type: 'proposed', members: [] });
  expect(ground.runTip()).toBe(tip);
  expect((await editor.integrate({ isAdopted: true })).type).toBe('integrated');
});

describe('the configuration of the repository that changes during a run', () => {
  test.for<[string, (root: string) => void]>([
    ['filter.x.clean', (root) => shell(root, 'config', 'filter.x.clean', 'true')],
    ['include.path', (root) => shell(root, 'config', 'include.path', '../x')],
    ['core.hookspath', (root) => shell(root, 'config', 'core.hooksPath', 'x')],
    ['merge.X.driver', (root) => shell(root, 'config', 'merge.X.driver', 'true')],
    ['tar.x.command', (root) => shell(root, 'config', 'tar.x.command', 'true')],
    // Written so that git reads it, and a parser may not.
    ['filter.x.clean', (root) => appendFileSync(config(root), '[filter \r"x"]\n\tclean = true\n')],
    ['config', (root) => appendFileSync(config(root), `[alias]\n\tx = !true\n${'# '.padEnd(2 ** 20)}\n`)],
    [
      'config.worktree core.fsmonitor',
      (root) => {
        shell(root, 'config', 'extensions.worktreeConfig', 'true');
        shell(root, 'config', '--worktree', 'core.fsmonitor', 'true');
      },
    ],
    [
      'modules/libs/x/config core.fsmonitor',
      (root) => {
        shell(root, 'init', '-q', '--bare', '.git/modules/libs/x');
        shell(root, 'config', '-f', '.git/modules/libs/x/config', 'core.fsmonitor', 'true');
        shell(root, 'config', '-f', '.git/modules/libs/x/config', 'core.worktree', '../../../../x');
      },
    ],
    [
      'modules/x',
      (root) => (mkdirSync(join(root, '.git/modules')), symlinkSync(root, join(root, '.git/modules/x'))),
    ],
    ['worktrees/user/commondir', (root) => write(root, { '.git/worktrees/user/commondir': '/elsewhere\n' })],
    ['info/attributes', (root) => write(root, { '.git/info/attributes': '* merge=union' })],
    [
      'hooks/pre-commit',
      (root) => writeFileSync(join(root, '.git/hooks/pre-commit'), '#!/bin/sh\n', { mode: 0o755 }),
    ],
  ])('holds, with the name of what was changed: %s', async ([key, change]) => {
    const ground = await scene();
    await ground.git.recordConfig(ground.repository, { isFirst: false });
    const worker = await ground.worker('build');
    write(worker.path, { 'new.txt': 'new' });
    change(ground.root);
    const found = await worker.integrate();
    expect(found).toMatchObject({ type: 'refs', changes: [{ ref: `config ${key}` }] });
    if (found.type !== 'refs') return;
    expect((await worker.integrate({ knownRefs: found.changes })).type).toBe('integrated');
  });

  test('does not hold if it starts nothing', async () => {
    const ground = await scene();
    await ground.git.recordConfig(ground.repository, { isFirst: false });
    const worker = await ground.worker('build');
    write(worker.path, { 'new.txt': 'new' });
    const settings = {
      'branch.main.remote': 'origin',
      'user.name': 'Eve',
      'remote.fork.url': 'x',
      'my.own': '1',
      'extensions.worktreeConfig': 'true',
    };
    for (const [key, value] of Object.entries(settings)) shell(ground.root, 'config', key, value);
    expect((await worker.integrate()).type).toBe('integrated');
  });
});

test("git's configuration is taken for one's own by a run that begins, not by one that is refused", async () => {
  const { run, repository } = await openRepository();
  const task = { agent: 'scripted', prompt: 'Go.\n```part\nsteps: [{ answer: done }]\n```\n' };
  await (await run({ task })).result();
  const looking = new Git({ environment: process.env, durability: 'process' });
  onTestFinished(() => looking.close());
  const changed = () => looking.configChanges({ commonDir: join(repository, '.git') });
  shell(repository, 'config', 'core.pager', 'evil');
  expect(await changed()).toMatchObject([{ key: 'core.pager' }]);
  const lacking = { task: { ...task, secrets: ['NO_SUCH_SECRET'] } };
  await expect(run(lacking, { id: 'lacking' })).rejects.toMatchObject({ code: 'SECRET_MISSING' });
  shell(repository, 'branch', 'piton/taken');
  await expect(run({ task }, { id: 'taken' })).rejects.toMatchObject({ code: 'BRANCH_TAKEN' });
  expect(await changed()).toMatchObject([{ key: 'core.pager' }]);
  await (await run({ task }, { id: 'begun' })).result();
  expect(await changed()).toEqual([]);
});

test('a run says so in words, and what could be done', async () => {
  const { run, repository } = await openRepository();
  const started = await run({
    build: played([[edit('.piton/config.yaml', 'agents: {}'), { answer: 'done' }]]),
  });
  expect((await firstHold(started)).data).toMatchObject({
    reason: expect.stringContaining('.piton/config.yaml') as string,
    actions: expect.arrayContaining(['adopt']) as string[],
  });
  expect(git(repository, 'ls-tree', '-r', '--name-only', 'piton/run')).not.toContain('.piton');
});
