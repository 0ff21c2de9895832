import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ArtifactStore } from '../../../src/workspaces/filling/artifact-store.ts';
import { write } from '../../support/git-playground.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function stand() {
  const top = temporaryFolder();
  const [folder, kept] = [join(top, 'work'), join(top, 'artifacts')];
  mkdirSync(folder);
  const store = new ArtifactStore({ folder: kept, durability: 'process' });
  const keep = (...paths: string[]) => store.keepArtifacts({ run: 'run-1', task: 'Build it', folder, paths });
  return { top, folder, kept, store, keep, find: () => store.find('run-1', 'Build it') };
}

describe('artifacts of a task', () => {
  test('are files and folders, kept as they are, and counted', async () => {
    const { folder, keep, find } = stand();
    write(folder, { 'dist/a.js': 'aaa', 'dist/deep/b.js': 'bb', 'report.xml': 'x', 'other.txt': 'other' });
    symlinkSync('a.js', join(folder, 'dist', 'latest'));
    mkdirSync(join(folder, 'dist', 'empty'));
    expect(await keep('dist/', './report.xml')).toEqual({ bytes: 6 });
    const { folder: kept, paths } = await find();
    expect(paths).toEqual(['dist', 'report.xml']);
    expect(readdirSync(kept).sort()).toEqual(['dist', 'report.xml']);
    expect(readFileSync(join(kept, 'dist/deep/b.js'), 'utf8')).toBe('bb');
    expect(readlinkSync(join(kept, 'dist/latest'))).toBe('a.js');
    expect(lstatSync(join(kept, 'dist/empty')).isDirectory()).toBe(true);
  });

  test('are replaced as a whole when they are kept again, and older ones do not stay', async () => {
    const { folder, keep, find } = stand();
    write(folder, { 'dist/a.js': 'first', 'dist/gone.js': 'first' });
    await keep('dist');
    const first = await find();
    rmSync(join(folder, 'dist/gone.js'));
    write(folder, { 'dist/a.js': 'second' });
    await keep('dist');
    const second = await find();
    expect(readdirSync(join(second.folder, 'dist'))).toEqual(['a.js']);
    expect(readFileSync(join(second.folder, 'dist/a.js'), 'utf8')).toBe('second');
    expect(existsSync(first.folder)).toBe(false);
  });

  test('of which only half was kept by a process that was killed do not count, and go away', async () => {
    const { folder, keep, find } = stand();
    write(folder, { 'dist/a.js': 'whole' });
    await keep('dist');
    const before = await find();
    const home = join(before.folder, '..');
    write(join(home, 'half'), { 'dist/b.js': 'half' });
    expect(await find()).toEqual(before);
    await keep('dist');
    expect(readdirSync(home)).toHaveLength(2);
    expect(existsSync(join(home, 'half'))).toBe(false);
  });

  test('are kept once where one is inside of another', async () => {
    const { folder, keep, find } = stand();
    write(folder, { 'dist/a.js': 'aaa', 'dist-2/b.js': 'b' });
    expect(await keep('dist/a.js', 'dist', 'dist-2', 'dist')).toEqual({ bytes: 4 });
    expect((await find()).paths).toEqual(['dist', 'dist-2']);
  });

  test('that are not there are named, and what was kept before stays', async () => {
    const { folder, keep, find } = stand();
    write(folder, { 'dist/a.js': 'a' });
    await keep('dist');
    const before = await find();
    await expect(keep('dist', 'report.xml')).rejects.toMatchObject({
      code: 'ARTIFACT_MISSING',
      message: expect.stringContaining('report.xml') as string,
    });
    expect(await find()).toEqual(before);
  });

  test.for(['../secret', '/etc/passwd', '.', 'dist/../..', 'away/secret'])(
    'cannot be %s, which is not in the folder',
    async (path) => {
      const { top, folder, keep } = stand();
      write(top, { secret: 'secret' });
      write(folder, { 'dist/a.js': 'a' });
      symlinkSync(top, join(folder, 'away'));
      await expect(keep(path)).rejects.toMatchObject({ code: 'ARTIFACT_REFUSED' });
    },
  );

  test('that somebody has removed since are said to be gone, and how to get them again', async () => {
    const { folder, kept, keep, find } = stand();
    await expect(find()).rejects.toMatchObject({ code: 'ARTIFACT_MISSING' });
    write(folder, { 'dist/a.js': 'a' });
    await keep('dist');
    rmSync(join((await find()).folder, 'dist'), { recursive: true });
    await expect(find()).rejects.toMatchObject({
      code: 'ARTIFACT_MISSING',
      remedy: expect.stringContaining('piton retry') as string,
    });
    rmSync(kept, { recursive: true });
    await expect(find()).rejects.toMatchObject({ code: 'ARTIFACT_MISSING' });
  });
});
