import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  archiveRef,
  changedRefs,
  encodeName,
  isOwnRef,
  keptRef,
  listRefs,
  moveRef,
  readRef,
  runBranch,
  snapshotRef,
  taskBranch,
} from '../../../src/workspaces/git/index.ts';
import { playground, shell } from '../../support/git-playground.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const hostile = [
  'build',
  'Build',
  'BUILD',
  'build[ui äöü]',
  'build[ui äöü]'.normalize('NFD'),
  'build[ui aou]',
  'a/b',
  'a-b',
  'a b',
  'review#3',
  'x.lock',
  '..',
  '.',
  '@',
  '@{',
  'a@{1}',
  '-rf',
  'archive',
  'kept',
  '',
  ' ',
  '\n',
  '~^:?*[\\',
  '日本語',
  '🧗',
  'con',
  'x'.repeat(60),
  'x'.repeat(61),
  'x'.repeat(5000),
  `${'x'.repeat(5000)}y`,
];

describe('the names of refs and folders', () => {
  test('a plain name stays as it is', () => {
    expect(taskBranch('2026-01-02-abc', 'build-api')).toBe('refs/heads/piton-tasks/2026-01-02-abc/build-api');
    expect(runBranch('r1')).toBe('refs/heads/piton/r1');
    expect(snapshotRef({ run: 'r1', task: 't', attempt: 'a9', number: 3 })).toBe('refs/piton/r1/t/a9/3');
  });

  test('an unusual name stays readable', () => {
    expect(encodeName('build[ui äöü]')).toMatch(/^build-ui-aou\.[0-9a-f]{16}$/);
  });

  test('git accepts the refs of the most hostile names', () => {
    for (const name of hostile) {
      for (const ref of [
        runBranch(name),
        taskBranch(name, name),
        snapshotRef({ run: name, task: name, attempt: name, number: 1 }),
        keptRef(name, name, 'a'.repeat(40)),
        archiveRef(name, name, 0),
      ]) {
        expect([ref, spawnSync('git', ['check-ref-format', ref]).status]).toEqual([ref, 0]);
        expect(isOwnRef(ref)).toBe(true);
      }
    }
  });

  test('different names differ, even where upper and lower case are the same', () => {
    expect(new Set(hostile.map((name) => encodeName(name).toLowerCase())).size).toBe(hostile.length);
    const names = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.string({
        unit: fc.constantFrom('a', 'A', 'ä', '-', '.', '/', '[', ']', '#', 'e', '\u0301'),
        maxLength: 8,
      }),
      fc.constantFrom(...hostile),
    );
    fc.assert(
      fc.property(names, names, (a, b) => {
        expect(encodeName(a).toLowerCase() === encodeName(b).toLowerCase()).toBe(a === b);
        expect(encodeName(a)).toMatch(/^[a-z0-9_][a-z0-9_.-]{0,70}$/);
        expect(encodeName(a)).not.toMatch(/\.\.|\.lock$|\.$/);
      }),
      { numRuns: propertyRuns },
    );
  });

  test('an encoded name can never be that of a plain one', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (name) => {
        const encoded = encodeName(name);
        expect(encoded === name || encodeName(encoded) !== encoded).toBe(true);
      }),
      { numRuns: propertyRuns },
    );
  });
});

describe('moving a ref', () => {
  test('tells what it has done: moved, already there, or held by another value', async () => {
    const { git, repository, base, root } = playground();
    const ref = runBranch('run-1');
    const next = shell(root, 'commit-tree', '-p', base, '-m', 'next', `${base}^{tree}`);
    const move = (to: string | undefined, from: string | undefined) =>
      moveRef(git, repository, { ref, to, from });
    expect(await move(base, undefined)).toEqual({ type: 'moved' });
    expect(await move(base, undefined)).toEqual({ type: 'already' });
    expect(await move(next, undefined)).toEqual({ type: 'conflict', actual: base });
    expect(await move(next, base)).toEqual({ type: 'moved' });
    expect(await move(next, base)).toEqual({ type: 'already' });
    expect(await move(next, next)).toEqual({ type: 'already' });
    expect(await move(base, base)).toEqual({ type: 'conflict', actual: next });
    expect(await move(undefined, base)).toEqual({ type: 'conflict', actual: next });
    expect(await move(undefined, next)).toEqual({ type: 'moved' });
    expect(await move(undefined, next)).toEqual({ type: 'already' });
    expect(await move(next, base)).toEqual({ type: 'conflict', actual: undefined });
  });

  test('of twenty that move it at once from the same value, exactly one succeeds', async () => {
    const { git, repository, base, root } = playground();
    const ref = runBranch('run-1');
    await moveRef(git, repository, { ref, to: base, from: undefined });
    const commits = Array.from({ length: 20 }, (_, index) =>
      shell(root, 'commit-tree', '-p', base, '-m', `next ${index}`, `${base}^{tree}`),
    );
    const results = await Promise.all(commits.map((to) => moveRef(git, repository, { ref, to, from: base })));
    const winners = commits.filter((_, index) => results[index]!.type === 'moved');
    expect(winners).toEqual([await readRef(git, repository, ref)]);
  });

  test('refuses every ref that is not of Piton', async () => {
    const { git, repository, base } = playground();
    for (const ref of ['refs/heads/main', 'HEAD', 'refs/stash', 'refs/heads/piton', 'refs/piton/']) {
      const move = moveRef(git, repository, { ref, to: base, from: undefined });
      await expect(move).rejects.toMatchObject({ code: 'REF_NOT_OURS' });
    }
  });

  test('fails in clear words if the user has a branch whose name is in the way', async () => {
    const { git, repository, base, root } = playground();
    shell(root, 'branch', 'piton');
    const move = moveRef(git, repository, { ref: runBranch('run-1'), to: base, from: undefined });
    await expect(move).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining("'refs/heads/piton' exists"),
    });
  });

  test('what somebody else has done to the refs meanwhile is found', async () => {
    const { git, repository, root, base } = playground();
    shell(root, 'branch', 'old');
    const before = await listRefs(git, repository);
    shell(root, 'branch', '-D', 'old');
    shell(root, 'branch', 'new');
    expect(changedRefs(before, await listRefs(git, repository))).toEqual([
      { ref: 'refs/heads/new', before: undefined, after: base },
      { ref: 'refs/heads/old', before: base, after: undefined },
    ]);
  });
});
