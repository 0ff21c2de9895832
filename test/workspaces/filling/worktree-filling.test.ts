/** What git has to say about what is brought into its worktrees. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guarded } from '../../../src/base/index.ts';
import type { PlaceRequest } from '../../../src/workspaces/index.ts';
import { LocalFilling } from '../../../src/workspaces/filling/local-filling.ts';
import { addWorktree } from '../../../src/workspaces/git/index.ts';
import { playground, shell, testGit, write } from '../../support/git-playground.ts';
import { placeRequest } from '../../support/local-places.ts';

/** A worktree, and what fills it. `ignored`: lines of info/exclude. */
async function stand(ignored: readonly string[] = []) {
  const { root, repository, base, git, order } = playground();
  writeFileSync(join(repository.commonDir, 'info/exclude'), ignored.map((line) => `${line}\n`).join(''));
  const { path } = await addWorktree(git, order());
  const state = join(root, '.piton');
  const filling = new LocalFilling({ git: testGit(), folder: state, portsFolder: join(state, 'ports') });
  const origin = { ...repository, root, base, prefix: '' };
  const request = (more: Partial<PlaceRequest>): PlaceRequest =>
    placeRequest({ folder: root, repository: origin, mode: { mode: 'worktree' } }, 'build', more);
  const fill = (more: Partial<PlaceRequest>) => filling.fill(request(more), path);
  const status = (): string => shell(path, 'status', '--porcelain');
  return { root, path, state, filling, request, fill, status };
}

describe('copies in a worktree', () => {
  test('of a folder of which git ignores only some files are refused, and nothing is copied', async () => {
    const { root, path, fill } = await stand(['keys/one']);
    write(root, { 'keys/one': 'PASSWORD', 'keys/two': 'PASSWORD' });
    await expect(fill({ copy: ['keys'] })).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringMatching(/keys\/two is to be copied.*info\/exclude/) as string,
    });
    expect(existsSync(join(path, 'keys'))).toBe(false);
  });

  test('of a file that is linked from elsewhere hold its text, and are known as copies', async () => {
    const { root, path, filling, request, fill } = await stand(['.env']);
    write(root, { '../shared/env': 'SECRET=1' });
    symlinkSync('../shared/env', join(root, '.env'));
    await fill({ copy: ['.env'] });
    expect(lstatSync(join(path, '.env')).isFile()).toBe(true);
    expect(readFileSync(join(path, '.env'), 'utf8')).toBe('SECRET=1');
    expect(await filling.isBrought(request({ copy: ['.env'] }), path, '.env')).toBe(true);
  });

  test('that were changed there are left as they are when the place is filled again', async () => {
    const { root, path, fill } = await stand(['.env']);
    write(root, { '.env': 'SECRET=1' });
    await fill({ copy: ['.env'] });
    write(path, { '.env': 'SECRET=2' });
    await fill({ copy: ['.env'] });
    expect(readFileSync(join(path, '.env'), 'utf8')).toBe('SECRET=2');
  });

  test('are not taken for brought when they were changed, or are nothing that was copied', async () => {
    const { root, path, filling, request, fill } = await stand(['.env', '*.log']);
    write(root, { '.env': 'SECRET=1', 'a.log': 'same' });
    await fill({ copy: ['.env'] });
    write(path, { '.env': 'SECRET=2', 'a.log': 'same' });
    const asked = request({ copy: ['.env'] });
    expect(await filling.isBrought(asked, path, '.env')).toBe(false);
    expect(await filling.isBrought(asked, path, 'a.log')).toBe(false);
    rmSync(join(path, '.env'));
    expect(await filling.isBrought(asked, path, '.env')).toBe(false);
  });
});

describe('shared caches in a worktree', () => {
  test('are links that git ignores, and are known as brought', async () => {
    const { path, state, filling, request, fill, status } = await stand(['/deps']);
    await fill({ caches: ['deps/'] });
    expect(readlinkSync(join(path, 'deps'))).toContain(join(state, 'caches'));
    expect(status()).toBe('');
    expect(await filling.isBrought(request({ caches: ['deps/'] }), path, 'deps')).toBe(true);
    // Nor is the link anybody's work once nobody knows any more whose place it was.
    expect(await filling.isCopied(path, 'deps')).toBe(true);
    await fill({ caches: ['deps/'] });
    expect(lstatSync(join(path, 'deps')).isSymbolicLink()).toBe(true);
  });

  test('that git ignores only as folders are refused, with the reason and what to write', async () => {
    const { path, fill } = await stand([]);
    // `.gitignore` of the repository has `node_modules/`.
    await expect(fill({ caches: ['node_modules'] })).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringMatching(/only as a folder.*\/node_modules without a slash/) as string,
    });
    await expect(fill({ caches: ['deps'] })).rejects.toMatchObject({
      message: expect.stringMatching(/git does not ignore it/) as string,
    });
    expect(existsSync(join(path, 'node_modules'))).toBe(false);
  });

  test('do not replace a folder that is there already', async () => {
    const { path, filling, request, fill } = await stand(['deps']);
    write(path, { 'deps/own': 'own' });
    await fill({ caches: ['deps'] });
    expect(readFileSync(join(path, 'deps/own'), 'utf8')).toBe('own');
    expect(await filling.isBrought(request({ caches: ['deps'] }), path, 'deps')).toBe(false);
  });
});

describe('artifacts in a worktree', () => {
  async function standWithArtifacts(ignored: readonly string[]) {
    const ground = await stand(ignored);
    const folder = join(ground.root, 'made');
    mkdirSync(folder);
    const keep = (text: string) => {
      write(folder, { 'dist/app.js': text });
      return ground.filling.keepArtifacts({ run: 'run-1', task: 'make', folder, paths: ['dist'] });
    };
    await keep('first');
    const read = (): string => readFileSync(join(ground.path, 'dist/app.js'), 'utf8');
    return { ...ground, keep, read, asked: { artifactsOf: ['make'] } };
  }

  test('that git does not ignore are refused: they would be in the result', async () => {
    const { root, path, fill, asked } = await standWithArtifacts([]);
    writeFileSync(join(root, '.git/info/exclude'), '');
    shell(path, 'rm', '--quiet', '.gitignore');
    await expect(fill(asked)).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringMatching(/dist\/app\.js is to be copied \(an artifact of make\)/) as string,
    });
  });

  test('replace those of an earlier task as long as nobody has worked there', async () => {
    const { path, keep, fill, read, asked, filling, request } = await standWithArtifacts(['dist']);
    await fill(asked);
    write(path, { 'dist/old.js': 'of an earlier task' });
    await keep('second');
    await fill(asked);
    expect(read()).toBe('second');
    expect(existsSync(join(path, 'dist/old.js'))).toBe(false);
    expect(await filling.isBrought(request(asked), path, 'dist/app.js')).toBe(true);
  });

  test('are left as they are by a driver that was replaced before it has begun to exchange them', async () => {
    const { keep, fill, read, asked } = await standWithArtifacts(['dist']);
    await fill(asked);
    await keep('second');
    const replaced = (): Promise<void> => Promise.reject(new Error('another drives'));
    await expect(guarded(replaced, () => fill(asked))).rejects.toThrow('another drives');
    expect(read()).toBe('first');
  });

  test('are left as they are when somebody has worked there', async () => {
    const { path, keep, fill, read, asked, filling, request } = await standWithArtifacts(['dist']);
    await fill(asked);
    await keep('second');
    await fill({ ...asked, known: { path, token: 'token-1' } });
    expect(read()).toBe('first');
    expect(await filling.isBrought(request(asked), path, 'dist/app.js')).toBe(false);
  });
});
