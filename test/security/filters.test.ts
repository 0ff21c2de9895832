/** Files that belong to git-lfs or git-crypt, where agents have edited or committed them without that program. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findTool } from '../../src/base/index.ts';
import type { Place } from '../../src/workspaces/index.ts';
import { faultGround, type FaultGround } from '../support/fault-ground.ts';
import { commit, playground, shell, write } from '../support/git-playground.ts';
import { workOf } from '../support/worktree-places.ts';

const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n';
const asRequired = { clean: 'cat', smudge: 'cat', required: 'true' };

function configure(root: string, filter: string, settings: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(settings))
    shell(root, 'config', `filter.${filter}.${name}`, value);
}

function withAttribute(filter: string, name = 'a.bin', text = pointer): string {
  const { root } = playground();
  commit(root, { '.gitattributes': `*.bin filter=${filter} -text\n`, [name]: text });
  return root;
}

function refusalOf({ places, request }: FaultGround, known: Place): Promise<unknown> {
  const work = { ...workOf(request('build'), known), isChecked: false, others: [] };
  return places.integrate(work).catch((error: unknown) => error);
}

function branchOf({ repository }: FaultGround): string {
  return shell(repository.root, 'rev-parse', 'piton-tasks/run-1/build');
}

describe('a file of a filter that is not set up', () => {
  test.for(['lfs', 'git-crypt'])('is held, and not committed as it is: %s', async (filter) => {
    const root = withAttribute(filter);
    const ground = await faultGround(root);
    const place = await ground.place('build');
    write(place.path, { 'a.bin': `${pointer}more`, 'new.bin': 'much' });
    const program = filter === 'lfs' ? 'git-lfs' : 'git-crypt';
    expect(await refusalOf(ground, place)).toMatchObject({
      code: 'FILTER_MISSING',
      message: expect.stringMatching(new RegExp(`Install ${program}.*filter\\.${filter}\\.clean`)) as string,
    });
    expect(branchOf(ground)).toBe(ground.repository.base);
    expect(readFileSync(join(place.path, 'new.bin'), 'utf8')).toBe('much');
    expect(await ground.integrate('build', place, { isAdopted: true })).toMatchObject({ type: 'integrated' });
    expect(ground.made()).toMatchObject({ 'new.bin': 'much' });
  });

  test('is held if the agent has committed it, and if it has only changed the pointer', async () => {
    const ground = await faultGround(withAttribute('lfs'));
    const place = await ground.place('build');
    commit(place.path, { 'a.bin': pointer.replace('size 3', 'size 4') });
    expect(await refusalOf(ground, place)).toMatchObject({
      code: 'FILTER_MISSING',
      details: { files: ['a.bin'], filter: 'lfs' },
    });
  });

  test('is no obstacle to others, to deleting it, or to keeping what was done', async () => {
    const ground = await faultGround(withAttribute('lfs'));
    const place = await ground.place('build');
    shell(place.path, 'rm', '--quiet', 'a.bin');
    write(place.path, { 'other.txt': 'other' });
    expect(await ground.integrate('build', place)).toMatchObject({ type: 'integrated' });
    const next = await ground.place('next');
    write(next.path, { 'b.bin': 'much' });
    expect(await ground.clean('next', next)).toMatchObject({ how: 'archived' });
    const archive = shell(
      ground.repository.root,
      'for-each-ref',
      '--format=%(objectname)',
      'refs/piton/archive',
    );
    expect(shell(ground.repository.root, 'show', `${archive}^1:b.bin`)).toBe('much');
  });
});

test('content that an agent has committed past a filter is held, though the filter is set up', async () => {
  const root = withAttribute('lfs');
  configure(root, 'lfs', asRequired);
  const ground = await faultGround(root);
  const place = await ground.place('build');
  commit(place.path, { 'a.bin': 'much', 'none.bin': '' });
  expect(await refusalOf(ground, place)).toMatchObject({
    code: 'FILTER_MISSING',
    details: { files: ['a.bin'] },
    remedy: expect.stringContaining('--renormalize') as string,
  });
});

test('a required filter whose program is missing is named, with program and key', async () => {
  const root = withAttribute('strip');
  configure(root, 'strip', { ...asRequired, clean: 'no-such-program --clean' });
  const ground = await faultGround(root);
  const place = await ground.place('build');
  write(place.path, { 'a.bin': 'much' });
  expect(await refusalOf(ground, place)).toMatchObject({
    code: 'FILTER_MISSING',
    message: expect.stringMatching(
      /`no-such-program --clean` of the filter 'strip' must be installed[^]*filter\.strip\.clean/,
    ) as string,
  });
});

test.runIf(findTool('git-lfs', process.env['PATH']))(
  'with git-lfs, what a task has made of its files is a pointer (needs git-lfs)',
  async () => {
    const { root } = playground();
    shell(root, 'lfs', 'install', '--local', '--skip-repo');
    commit(root, { '.gitattributes': '*.bin filter=lfs -text\n', 'a.bin': 'large' });
    const ground = await faultGround(root);
    const place = await ground.place('build');
    expect(readFileSync(join(place.path, 'a.bin'), 'utf8')).toContain('oid sha256');
    write(place.path, { 'a.bin': 'changed', 'b.bin': 'new' });
    expect(await ground.integrate('build', place)).toMatchObject({ type: 'integrated' });
    expect(ground.made()['a.bin']).toMatch(/^version https:.*\noid sha256:.*\nsize 7$/);
    const [, name = ''] = /sha256:(\w+)/.exec(ground.made()['b.bin']!) ?? [];
    const object = join(root, '.git/lfs/objects', name.slice(0, 2), name.slice(2, 4), name);
    expect(readFileSync(object, 'utf8')).toBe('new');
  },
);

test.runIf(findTool('git-crypt', process.env['PATH']))(
  'with git-crypt, a task works on what is readable, and its result is not (needs git-crypt)',
  async () => {
    const { root } = playground();
    shell(root, 'crypt', 'init');
    commit(root, { '.gitattributes': '*.key filter=git-crypt diff=git-crypt\n', 'a.key': 'first' });
    const ground = await faultGround(root);
    const place = await ground.place('build');
    expect(readFileSync(join(place.path, 'a.key'), 'utf8')).toBe('first');
    write(place.path, { 'a.key': 'second' });
    expect(await ground.integrate('build', place)).toMatchObject({ type: 'integrated' });
    expect(ground.made()['a.key']).toMatch(/^\0GITCRYPT\0/);
    const next = await ground.place('next');
    expect(readFileSync(join(next.path, 'a.key'), 'utf8')).toBe('second');
    await ground.clean('next', next);
    expect(existsSync(join(root, '.git/git-crypt/keys/default'))).toBe(true);
  },
);
