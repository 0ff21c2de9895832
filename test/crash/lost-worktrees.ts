/** Worktrees that are deleted while nobody drives. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { killAt, type Starter } from '../support/kill.ts';
import { ledgerOf } from '../support/repository-remains.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  agentEnvironment,
  git,
  gitLines,
  makeUserRepository,
  writeWorkflow,
} from '../support/user-repository.ts';

function driving(folder: string): Starter {
  const args = [JSON.stringify({ folders: [folder] })];
  return (env) => startProgram('drive-places', { args, env: { ...agentEnvironment, ...env } });
}

/** A pool of one whose place is deleted after a kill, and perhaps forgotten by git: what the ledger says, and which files there are. */
export async function deletedFromPool(
  place: string,
  forgetting: readonly string[],
): Promise<{ readonly ledger: string[]; readonly files: string[] }> {
  const folder = join(temporaryFolder(), 'repository');
  makeUserRepository(folder);
  const setup = `mkdir -p dist; echo ready > dist/ready; echo setup >> "${folder}/.piton/ledger"`;
  const each = {
    'for-each': { in: ['x', 'y', 'z'] },
    pool: 1,
    setup,
    run: 'cat dist/ready > ${{ item }}.txt',
  };
  writeWorkflow(folder, { workspace: 'worktree', tasks: { each } });
  await killAt(place, driving(folder));
  rmSync(join(folder, '.piton/worktrees/run/each~slot-1'), { recursive: true });
  if (forgetting.length > 0) git(folder, ...forgetting);
  expect((await driving(folder)({}).ended()).lines.at(-1)).toBe('ended succeeded');
  return { ledger: ledgerOf(folder), files: gitLines(folder, 'diff', '--name-only', 'main', 'piton/run') };
}

/** Finished work whose worktree was deleted, and whose restoring is killed: which files of it are in the branch. */
export async function restoredAfterKill(place: string): Promise<string[]> {
  const folder = join(temporaryFolder(), 'repository');
  makeUserRepository(folder);
  const solo = { run: 'echo 1 > one.txt; git add -A; git commit -qm one; echo 2 > two.txt' };
  writeWorkflow(folder, { workspace: 'worktree', tasks: { solo } });
  await killAt('after:work.finished', driving(folder));
  rmSync(join(folder, '.piton/worktrees/run/solo'), { recursive: true });
  await killAt(place, driving(folder));
  expect((await driving(folder)({}).ended()).lines.at(-1)).toBe('ended succeeded');
  return gitLines(folder, 'diff', '--name-only', 'main', 'piton/run');
}
