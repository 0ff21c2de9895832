import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject, type Project } from '../cli/command-line.ts';
import { startPiton, type LiveCommand } from '../cli/live-command.ts';
import { eventually } from '../support/eventually.ts';
import { fsck, userState } from '../support/git-playground.ts';
import { killAt } from '../support/kill.ts';
import { edit } from '../support/repository-place.ts';
import { ledgerOf, lostIn } from '../support/repository-remains.ts';
import { played } from '../support/scripted-place.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  agentEnvironment,
  git,
  gitLines,
  makeUserRepository,
  writeWorkflow,
} from '../support/user-repository.ts';
import { deletedFromPool, restoredAfterKill } from './lost-worktrees.ts';

const agents = ['ada', 'bob', 'cyd', 'dan'];

/** Commits one file, leaves another as it is, and waits; when it was killed, it is to go on in its session. */
function partOf({ folder }: Project, name: string): object {
  const count = (what: string): string => `echo ${name} ${what} >> "${folder}/.piton/ledger"`;
  const commit = `echo ${name} > ${name}.txt; git add -A; git commit -qm ${name}`;
  const go = { await: join(folder, '.piton/go') };
  return played([
    [
      { run: `${commit}; ${count('began')}` },
      { run: `echo draft > ${name}.draft; ${count('wrote')}` },
      go,
      { answer: name },
    ],
    [go, { run: `cat ${name}.txt ${name}.draft > ${name}.both; ${count('ended')}` }, { answer: name }],
  ]);
}

function inRepository(): Project {
  const project = newProject();
  makeUserRepository(project.folder);
  const tasks = Object.fromEntries(agents.map((name) => [name, partOf(project, name)]));
  const both = { run: 'ls *.txt *.draft > all.list', needs: agents };
  writeWorkflow(project.folder, { tasks: { ...tasks, both } });
  return project;
}

/** All agents have written, and what they wrote was saved. */
async function atWork(project: Project, { until }: Pick<LiveCommand, 'until'>): Promise<void> {
  await until('all have written', () => ledgerOf(project.folder).length === 2 * agents.length);
  await savedIn(project, agents.length);
}

/** Waits until the places of so many tasks were saved. */
async function savedIn(project: Project, tasks: number): Promise<void> {
  await eventually('the store is there', () => existsSync(join(project.folder, '.piton/piton.db')));
  await project.withStore(async (piton) => {
    await eventually('the run is there', async () => (await piton.runs()).length > 0);
    const saved = new Set<string>();
    for await (const event of (await piton.find('run')).events()) {
      if (event.type === 'workspace.saved') saved.add(event.task);
      if (saved.size === tasks) break;
    }
  });
}

/** Whoever waits for the end of an attempt dies with it, so that nobody can tell how it ended. */
async function killAll(project: Project, driver: number): Promise<void> {
  process.kill(driver, 'SIGKILL');
  const pids = await project.withStore(async (piton) =>
    (await piton.keptAttempts()).flatMap(({ pid }) => (pid === undefined ? [] : [pid])),
  );
  expect(pids.length).toBe(agents.length);
  for (const pid of pids) process.kill(-pid, 'SIGKILL');
}

/** One of them is forgotten by git too. */
function deleteHalf({ folder }: Project): void {
  const places = join(folder, '.piton/worktrees/run');
  const [first, ...others] = readdirSync(places).sort();
  expect(others.length).toBe(agents.length - 1);
  rmSync(join(places, first!), { recursive: true });
  git(folder, 'worktree', 'prune');
  for (const name of others.slice(0, agents.length / 2 - 1)) rmSync(join(places, name), { recursive: true });
}

/** Tasks whose places were made again. */
async function recoveredIn(project: Project): Promise<string[]> {
  return project.withStore(async (piton) => {
    const events = await Array.fromAsync((await piton.find('run')).events());
    return events.flatMap((event) => (event.type === 'workspace.recovered' ? [event.task] : [])).sort();
  });
}

test('all processes killed and half of the worktrees deleted: the run is resumed to its end, and agents go on in their sessions with the files they had', async () => {
  const project = inRepository();
  const { folder } = project;
  const user = userState(folder);
  const { child, until, ended } = startPiton(project, ['run', 'flow', '--id', 'run'], agentEnvironment);
  await atWork(project, { until });
  await killAll(project, child.pid!);
  await ended;
  deleteHalf(project);
  writeFileSync(join(folder, '.piton/go'), '');

  const { code, stderr } = await project.piton(['resume', 'run'], { env: agentEnvironment });
  expect([code, stderr]).toEqual([0, '']);
  expect(ledgerOf(folder).sort()).toEqual(
    agents.flatMap((name) => [`${name} began`, `${name} ended`, `${name} wrote`]),
  );
  expect(await recoveredIn(project)).toEqual(agents.slice(0, agents.length / 2));
  const made = agents.flatMap((name) => [`${name}.both`, `${name}.draft`, `${name}.txt`]);
  expect(gitLines(folder, 'diff', '--name-status', 'main', 'piton/run')).toEqual(
    ['all.list', ...made].sort().map((file) => `A\t${file}`),
  );
  for (const name of agents) expect(git(folder, 'show', `piton/run:${name}.both`)).toBe(`${name}\ndraft`);
  expect(gitLines(folder, 'show', 'piton/run:all.list')).toEqual(
    expect.arrayContaining(made.filter((file) => !file.endsWith('.both'))),
  );
  expect(gitLines(folder, 'log', '--format=%s', 'piton/run')).toEqual(expect.arrayContaining(agents));
  expect(gitLines(folder, 'worktree', 'list')).toHaveLength(1);
  expect(fsck(folder)).toBe('');
  expect(lostIn(folder)).toEqual([]);
  expect(userState(folder)).toBe(user);
});

test('work that was finished while nobody drove, and is gone with its worktree, is held and not taken for what was saved before', async () => {
  const project = newProject();
  const { folder } = project;
  makeUserRepository(folder);
  const count = { run: `echo ended >> "${folder}/.piton/ledger"` };
  const steps = [edit('one.txt', '1\n'), { await: join(folder, '.piton/go') }, edit('two.txt', '2\n'), count];
  writeWorkflow(folder, { tasks: { solo: played([[...steps, { answer: 's' }]]) } });
  const { child, ended } = startPiton(project, ['run', 'flow', '--id', 'run'], agentEnvironment);
  await savedIn(project, 1);
  child.kill('SIGKILL');
  await ended;
  writeFileSync(join(folder, '.piton/go'), '');
  await project.withStore((piton) =>
    eventually('the agent has ended', async () => {
      const isAlive = (await piton.keptAttempts()).some(({ pid }) => pid !== undefined);
      return ledgerOf(folder).length === 1 && !isAlive;
    }),
  );
  rmSync(join(folder, '.piton/worktrees/run/solo'), { recursive: true });

  const { code, stdout } = await project.piton(['resume', 'run'], { env: agentEnvironment });
  expect(code).toBe(3);
  expect(stdout).toContain('The place of solo is gone');
  expect(gitLines(folder, 'ls-tree', '--name-only', 'piton/run')).not.toContain('one.txt');
});

test.each([
  ['after its work was brought in, and forgotten by git,', 'after:task.succeeded', ['worktree', 'prune']],
])(
  'a place of a pool that was deleted %s is set up again before the next item works in it',
  async (_, place, forgetting) => {
    expect(await deletedFromPool(place, forgetting)).toEqual({
      ledger: ['setup', 'setup'],
      files: ['x.txt', 'y.txt', 'z.txt'],
    });
  },
);

test.each(['before:git.files-restored'])(
  'a worktree that was deleted with finished work, and whose restoring is killed at %s, is not taken for the work',
  async (place) => {
    expect(await restoredAfterKill(place)).toEqual(['one.txt', 'two.txt']);
  },
);

test('files that were kept for others are not asked for again in a worktree that was deleted since', async () => {
  const folder = join(temporaryFolder(), 'repository');
  makeUserRepository(folder);
  const solo = { run: 'mkdir dist; echo kept > dist/made; echo 1 > one.txt', artifacts: 'dist/made' };
  const next = { needs: 'solo', run: 'cat dist/made > next.txt' };
  writeWorkflow(folder, { workspace: 'worktree', tasks: { solo, next } });
  const args = [JSON.stringify({ folders: [folder] })];
  await killAt('engine:after-artifacts', (env) => startProgram('drive-places', { args, env }));
  rmSync(join(folder, '.piton/worktrees/run/solo'), { recursive: true });

  expect((await startProgram('drive-places', { args }).ended()).lines.at(-1)).toBe('ended succeeded');
  expect(git(folder, 'show', 'piton/run:next.txt')).toBe('kept');
  expect(git(folder, 'show', 'piton/run:one.txt')).toBe('1');
});
