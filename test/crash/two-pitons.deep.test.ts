import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { fsck, userState } from '../support/git-playground.ts';
import { namesBelow } from '../support/local-places.ts';
import type { PlaceOrders } from '../support/programs/drive-places.ts';
import { ledgerOf, lostIn } from '../support/repository-remains.ts';
import { played } from '../support/scripted-place.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agentEnvironment, gitLines, makeUserRepository, writeWorkflow } from '../support/user-repository.ts';

const runs = ['one', 'two', 'three'];
const items = ['x', 'y', 'z'];

/** The same tasks at the same files; what they write says whose it is. Agents go on when all runs are at work. */
function makeFlow(folder: string): void {
  const at = (name: string): string => `"${folder}/.piton/${name}"`;
  const begin = { run: `echo $PITON_RUN $PITON_TASK >> ${at('ledger')}` };
  const go = { await: join(folder, '.piton/go') };
  // Whoever finds the folder there already was not alone. The third run has another store, and so other locks.
  const alone = `here=${at('here')}; test $PITON_RUN = three && here=${at('here-too')}; mkdir $here && sleep 0.02 && rmdir $here`;
  const tasks = {
    left: played([[begin, { run: 'echo $PITON_RUN >> a.txt' }, go, { answer: 'l' }]]),
    right: played([[begin, { run: 'echo $PITON_RUN > right.txt' }, go, { answer: 'r' }]], {
      check: 'ls right.txt',
    }),
    each: {
      'for-each': { in: items },
      pool: 2,
      run: `${alone} && echo $PITON_RUN > \${{ item }}.txt`,
      'repository-locks': 'database',
    },
    both: { needs: ['left', 'right', 'each'], run: 'cat a.txt right.txt x.txt y.txt z.txt > both.txt' },
  };
  writeWorkflow(folder, { tasks });
}

async function drive(orders: PlaceOrders): Promise<string | undefined> {
  const program = startProgram('drive-places', { args: [JSON.stringify(orders)], env: agentEnvironment });
  return (await program.ended()).lines.at(-1);
}

/** What one Piton does about places, while the runs of another are at work. */
async function reconcile(state: string, folder: string): Promise<void> {
  await using piton = await open({ store: `sqlite:${join(state, 'piton.db')}`, durability: 'process' });
  await piton.reconcile({ folder });
}

test('two Pitons with three runs at the same time in one repository: each run has its own work, and nothing of another', async () => {
  const root = temporaryFolder();
  const [folder, state] = [join(root, 'repository'), join(root, 'other')];
  makeUserRepository(folder);
  mkdirSync(state);
  makeFlow(folder);
  const user = userState(folder);
  const drivers = Promise.all([
    drive({ folders: [folder], id: 'one' }),
    drive({ folders: [folder], id: 'two' }),
    drive({ folders: [folder], id: 'three', state }),
  ]);
  await eventually('the agents of all are at work', () => ledgerOf(folder).length === 6);
  for (const each of [state, join(folder, '.piton')]) await reconcile(each, folder);
  expect(gitLines(folder, 'for-each-ref', '--format=%(refname:short)')).toEqual(
    expect.arrayContaining(runs.flatMap((run) => [`piton/${run}`, `piton-tasks/${run}/left`])),
  );
  writeFileSync(join(folder, '.piton/go'), '');
  expect(await drivers).toEqual(runs.map(() => 'ended succeeded'));

  for (const run of runs) {
    const lines = (file: string): string[] => gitLines(folder, 'show', `piton/${run}:${file}`);
    expect(lines('both.txt')).toEqual(['one', ...Array.from({ length: 5 }, () => run)]);
    expect(subjectsOf(folder, run)).toEqual(['both', 'each[x]', 'each[y]', 'each[z]', 'left', 'right']);
  }
  expect(ledgerOf(folder).sort()).toEqual([...new Set(ledgerOf(folder))].sort());
  expect(gitLines(folder, 'worktree', 'list')).toHaveLength(1);
  expect([join(folder, '.piton'), state].flatMap((at) => namesBelow(join(at, 'worktrees'), 2))).toEqual([]);
  expect(fsck(folder)).toBe('');
  expect(lostIn(folder)).toEqual([]);
  expect(userState(folder)).toBe(user);
});

/** Whose results are in the branch of a run, by the trailers of their commits. */
function subjectsOf(folder: string, run: string): string[] {
  const trailer = (name: string): string => `%(trailers:key=Piton-${name},valueonly,separator=%x2C)`;
  const format = `--format=${trailer('Run')} ${trailer('Task')}`;
  return gitLines(folder, 'log', '--no-merges', format, `main..piton/${run}`)
    .map((line) => line.replace(`${run} `, ''))
    .sort();
}
