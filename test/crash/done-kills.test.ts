/** Drivers are killed where a person's word that a task was done, or is to run again, is written down and acted upon. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open, type Piton, type Run, type RunEvent } from '../../src/index.ts';
import { newProject } from '../cli/command-line.ts';
import { killAt, twoAtATime } from '../support/kill.ts';
import { unlike } from '../support/promises.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const trace = 'echo "$PITON_TASK" >> "$LEDGER"';

function drive(folder: string, env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })], env });
}

function openIn(folder: string): Promise<Piton> {
  return open({ store: `sqlite:${join(folder, 'piton.db')}` });
}

/** `deploy` leaves a file in its place, and its wrapper is killed: nobody knows whether it is done. */
function makeFolder(folder: string, workspace: 'shared' | 'worktree'): void {
  mkdirSync(folder);
  const env = { LEDGER: join(folder, 'ledger') };
  const tasks = {
    deploy: { run: `${trace}; echo made > made.txt; kill -9 $PPID`, 'on-interrupt': 'ask', env },
    tell: { needs: ['deploy'], run: `${trace}; cat made.txt`, env },
  };
  writeFileSync(join(folder, 'flow.yaml'), JSON.stringify({ name: 'flow', workspace, tasks }));
  if (workspace === 'shared') return;
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd: folder });
  git('init', '-q', '-b', 'main');
  appendFileSync(
    join(folder, '.git/info/exclude'),
    'piton.db*\nspool\nworktrees\nflow.yaml\nledger\n*.key\n',
  );
  git('commit', '-q', '--allow-empty', '-m', 'first');
}

async function say(folder: string, act: (run: Run) => Promise<{ readonly status: string }>): Promise<void> {
  await using piton = await openIn(folder);
  expect(await act(await piton.find('run'))).toMatchObject({ status: 'queued' });
}

async function found(folder: string): Promise<unknown> {
  await using piton = await openIn(folder);
  const run = await piton.find('run');
  const events: RunEvent[] = await Array.fromAsync(run.events());
  const times = (type: string): number => events.filter((event) => event.type === type).length;
  const { tasks } = await run.checkpoint();
  return {
    status: await run.status(),
    confirmed: times('work.confirmed'),
    output: tasks['deploy']?.output,
    ledger: readFileSync(join(folder, 'ledger'), 'utf8').trim().split('\n'),
  };
}

const whenDone = ['before:work.confirmed#1', 'after:work.confirmed#1'];
const points = {
  shared: [...whenDone, 'before:task.succeeded#1', 'after:task.succeeded#1'],
  worktree: [...whenDone, 'before:work.finished#1', 'after:work.finished#1', 'after:workspace.integrated#1'],
} as const;

test.each(['shared', 'worktree'] as const)(
  'killed around the word that a task was done (%s): it is done once, is not run again, and nothing in its place is lost',
  async (workspace) => {
    const root = temporaryFolder();
    const folderOf = (point: string): string => join(root, point.replaceAll(/[^a-z0-9]/g, '-'));
    const all = points[workspace];
    await twoAtATime(all, async (point) => {
      const folder = folderOf(point);
      makeFolder(folder, workspace);
      await drive(folder).ended();
      await say(folder, (run) => run.done('deploy', 'seen', { output: 'there' }));
      await killAt(point, (env) => drive(folder, env));
      await drive(folder).ended();
    });
    const wanted = {
      status: 'succeeded',
      confirmed: 1,
      output: 'there',
      ledger: ['deploy', 'tell'],
    };
    const harm = await Array.fromAsync(all, async (point) =>
      unlike(wanted, await found(folderOf(point)), point),
    );
    expect(harm.flat()).toEqual([]);
  },
);

const failing = { run: 'echo deploy >> ran; exit 1' };

test.each([
  ['done', ['done', 'r', 'deploy', '-m', 'seen'], failing, ['deploy', 'tell']],
  [
    'retry --redo',
    ['retry', 'r', 'tell', '--redo', '--yes'],
    { run: 'echo deploy >> ran' },
    ['deploy', 'tell', 'tell'],
  ],
] as const)(
  '%s of a run that has ended, killed around its commit: it holds once, or not yet',
  async (_, args, deploy, ran) => {
    for (const point of ['before:tasks.reopened#1', 'after:tasks.reopened#1']) {
      const project = newProject();
      const tasks = { deploy, tell: { needs: ['deploy'], run: 'echo tell >> ran' } };
      project.write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks }));
      await project.piton(['run', 'flow', '--id', 'r']);
      expect((await project.piton(args, { env: { PITON_CRASH_AT: point } })).code).toBeNull();
      const next = point.startsWith('before') ? args : ['resume', 'r'];
      expect(await project.piton(next)).toMatchObject({ code: 0 });
      expect(readFileSync(join(project.folder, 'ran'), 'utf8').trim().split('\n')).toEqual(ran);
    }
  },
);
