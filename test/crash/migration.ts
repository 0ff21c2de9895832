/** Migrations of many files, one by one in the places of a pool, by drivers that are killed on the way. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { open } from '../../src/index.ts';
import { fsck, userState } from '../support/git-playground.ts';
import { ledgerOf, lostIn } from '../support/repository-remains.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agentEnvironment, gitLines, makeUserRepository, writeWorkflow } from '../support/user-repository.ts';

export interface Migration {
  readonly files: number;
  readonly pool: number;
  readonly kills: number;
  /** Work on one file, given shell text for it. */
  readonly work: (script: string) => object;
}

function makeMigration(folder: string, { files, pool, work }: Migration): void {
  const names = Array.from({ length: files }, (_, index) => `part-${index}`);
  makeUserRepository(folder, Object.fromEntries(names.map((name) => [`src/${name}.txt`, `old ${name}\n`])));
  // Each tells how many there are besides it, and that it was at work.
  const seen = `ls "${folder}/.git/worktrees" | wc -l >> "${folder}/.piton/seen"`;
  const script = `echo "$PITON_TASK" >> "${folder}/.piton/ledger"; ${seen}; sed -i s/old/new/ src/\${{ item }}.txt`;
  const migrate = { 'for-each': { in: names }, pool, setup: 'mkdir -p dist', ...work(script) };
  writeWorkflow(folder, { workspace: 'worktree', tasks: { migrate } });
}

function drive(folder: string): Program {
  return startProgram('drive-places', {
    args: [JSON.stringify({ folders: [folder] })],
    env: agentEnvironment,
  });
}

/** Lets a driver settle so many more, and a little besides, and kills it. */
async function killAfter(folder: string, settled: number, delayMs: number): Promise<void> {
  const driver = drive(folder);
  for (let count = 0; count < settled;) {
    const line = await driver.nextLine();
    if (line === undefined) throw new Error('it came to its end before it was killed');
    if (line.startsWith('settled')) count += 1;
  }
  await pause(delayMs);
  driver.child.kill('SIGKILL');
  expect((await driver.ended()).by).toBe('SIGKILL');
}

/** The largest number of worktrees that was ever seen, by looking again and again. */
function watchWorktrees(folder: string): { most: number } {
  const watched = { most: 0 };
  const count = (path: string): number => (existsSync(path) ? readdirSync(path).length : 0);
  const timer = setInterval(() => {
    const places = [join(folder, '.git/worktrees'), join(folder, '.piton/worktrees/run')];
    watched.most = Math.max(watched.most, ...places.map(count));
  }, 10);
  onTestFinished(() => clearInterval(timer));
  return watched;
}

async function expectMigrated(folder: string, { files, pool }: Migration, user: string): Promise<void> {
  expect(gitLines(folder, 'grep', '-h', '', 'piton/run', '--', 'src').sort()).toEqual(
    Array.from({ length: files }, (_, index) => `new part-${index}`).sort(),
  );
  expect(ledgerOf(folder).sort()).toEqual(
    Array.from({ length: files }, (_, index) => `migrate[part-${index}]`).sort(),
  );
  const told = readFileSync(join(folder, '.piton/seen'), 'utf8').trim().split('\n').map(Number);
  expect(Math.max(...told)).toBeLessThanOrEqual(pool);
  await using piton = await open({
    store: `sqlite:${join(folder, '.piton/piton.db')}`,
    durability: 'process',
  });
  await piton.reconcile({ folder });
  expect(gitLines(folder, 'worktree', 'list')).toHaveLength(1);
  expect(gitLines(folder, 'for-each-ref', 'refs/heads/piton-tasks')).toEqual([]);
  expect(fsck(folder)).toBe('');
  expect(lostIn(folder)).toEqual([]);
  expect(userState(folder)).toBe(user);
}

const delaysMs = [0, 83, 31, 140, 7];

/** Each file once, one branch with all of them. Gives the largest number of worktrees that was seen. */
export async function migrate(migration: Migration): Promise<number> {
  const folder = join(temporaryFolder(), 'repository');
  makeMigration(folder, migration);
  const user = userState(folder);
  const watched = watchWorktrees(folder);
  const share = Math.floor(migration.files / (migration.kills + 2));
  for (const delayMs of delaysMs.slice(0, migration.kills)) await killAfter(folder, share, delayMs);
  expect((await drive(folder).ended()).lines.at(-1)).toBe('ended succeeded');
  await expectMigrated(folder, migration, user);
  return watched.most;
}
