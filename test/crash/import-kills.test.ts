/** Whoever imports or exports a run is killed at every commit and effect: the store is as before, or has all of it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject, type Project } from '../cli/command-line.ts';
import { played, writeFlow } from '../cli/played.ts';
import { edits, git, projectInRepository } from '../support/git-project.ts';
import { twoAtATime } from '../support/kill.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A run that waits for a person, with work in git. */
async function waitingRun(): Promise<Project> {
  const project = projectInRepository();
  writeFlow(project, {
    fix: played([edits('b.txt', 'two\n')]),
    ship: { needs: 'fix', approval: 'ship it?', run: 'echo shipped' },
  });
  await project.piton(['run', 'flow', '--id', 'r1']);
  return project;
}

function cloneOf({ folder }: Project): Project {
  const project = newProject();
  git(project.folder, 'clone', '-q', '--single-branch', '--branch', 'main', folder, '.');
  return project;
}

async function pointsOf(project: Project, args: readonly string[]): Promise<string[]> {
  const log = join(temporaryFolder(), 'points');
  const { code, stderr } = await project.binary(args, { env: { PITON_CRASH_LOG: log } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const passed = new Map<string, number>();
  return readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((name) => {
      passed.set(name, (passed.get(name) ?? 0) + 1);
      return `${name}#${passed.get(name)}`;
    });
}

const refsIn = (folder: string): string =>
  git(folder, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/piton/', 'refs/heads/piton/');

test('an import that is killed anywhere: nothing of the run is there, or all of it; the next one makes up for the rest', async () => {
  const project = await waitingRun();
  await project.piton(['export', 'r1']);
  const file = join(project.folder, 'r1.piton');
  const points = await pointsOf(cloneOf(project), ['import', file]);
  expect(points.join()).toMatch(
    /before:git.bundle-unpacked.*before:run.imported.*store:.*after:git.ref-moved/,
  );
  await twoAtATime(points, async (point) => {
    const other = cloneOf(project);
    expect((await other.piton(['import', file], { env: { PITON_CRASH_AT: point } })).code).toBeNull();
    const found = await other.withStore(async (piton) => ({
      verdicts: await piton.verify(),
      store: await piton.checkStore(),
    }));
    expect({ point, store: found.store }).toEqual({ point, store: [] });
    expect(found.verdicts.every(({ ok }) => ok)).toBe(true);
    expect(found.verdicts.length).toBeLessThan(2);
    expect(await other.piton(['import', file])).toMatchObject({ code: 0 });
    expect(refsIn(other.folder)).toBe(refsIn(project.folder));
    expect(await other.withStore(async (piton) => (await piton.verify())[0])).toMatchObject({ ok: true });
  });
});

test('an export that is killed anywhere leaves no file that looks like one', async () => {
  const project = await waitingRun();
  for (const point of await pointsOf(project, ['export', 'r1', '-o', 'all.piton'])) {
    const file = join(project.folder, `${point.replaceAll(/[^a-z]/g, '-')}.piton`);
    await project.piton(['export', 'r1', '-o', file], { env: { PITON_CRASH_AT: point } });
    const isWhole =
      existsSync(file) && readFileSync(file).equals(readFileSync(join(project.folder, 'all.piton')));
    const isEmpty = existsSync(file) && readFileSync(file).length === 0;
    expect(isWhole || isEmpty).toBe(true);
    await project.piton(['export', 'r1', '-o', file, '--force']);
    expect(readFileSync(file).equals(readFileSync(join(project.folder, 'all.piton')))).toBe(true);
  }
  expect(readdirSync(project.folder).filter((name) => name === 'all.piton')).toHaveLength(1);
});
