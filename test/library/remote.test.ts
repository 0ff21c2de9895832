import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkoutOf, edit, git, openRepository } from '../support/repository-place.ts';
import { eventsOf, played, startsOf } from '../support/scripted-place.ts';
import { sharedSshServer } from '../support/shared-ssh-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The scripted agent keeps its conversations where the tests say; a real one has them in its home there. */
const env = ['PITON_SCRIPTED_HOME'];

test('tasks on another machine see what their needs have made, are set up and checked there, and leave one branch', async () => {
  const { machine } = await sharedSshServer();
  const there = temporaryFolder();
  const box = { ...machine, folder: join(there, 'piton'), env };
  const { run, repository } = await openRepository({ remotes: { box } });
  const before = checkoutOf(repository);
  const started = await run(
    {
      first: played([[edit('first.txt', '1\n'), { answer: 'one' }]]),
      second: played(
        [[{ run: 'pwd > where.txt; cat first.txt dist/ready > second.txt' }, { answer: 'two' }]],
        {
          needs: 'first',
          workspace: { remote: 'box' },
          setup: 'mkdir -p dist && echo ready > dist/ready',
          check: 'test -s second.txt',
        },
      ),
      third: { run: 'cat second.txt', needs: 'second', workspace: { remote: 'box' } },
    },
    { workspace: 'worktree' },
  );

  expect(await started.result()).toMatchObject({
    status: 'succeeded',
    outputs: { second: 'two', third: '1\nready' },
  });
  expect(git(repository, 'show', 'piton/run:where.txt')).toContain(there);
  expect(startsOf(await eventsOf(started)).map(({ kind = 'work' }) => kind)).toEqual(
    expect.arrayContaining(['setup', 'work', 'check', 'integrate']),
  );
  expect(checkoutOf(repository).replace('?? flow.yaml', '')).toBe(before);
  const { tasks } = await started.checkpoint();
  expect(tasks['second']!.workspace).toMatchObject({
    kind: 'remote',
    remote: 'box',
    cleaned: expect.anything(),
  });
  expect(existsSync(tasks['second']!.workspace!.path)).toBe(false);
});

test('a machine that nobody has named holds the task, and says what is to be done', async () => {
  const { run } = await openRepository({ remotes: {} });
  const started = await run({ a: { run: 'true', workspace: { remote: 'box' } } });
  const events = started.events();
  for await (const { type } of events) if (type === 'task.held') break;
  expect((await started.checkpoint()).tasks['a']!.reason).toMatch(/box/);
});
