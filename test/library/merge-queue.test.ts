import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { edit, git, openRepository } from '../support/repository-place.ts';
import { eventsOf, played, startsOf } from '../support/scripted-place.ts';

const typesOf = (events: readonly RunEvent[], prefix: string): string[] =>
  events.flatMap(({ type }) => (type.startsWith(prefix) ? [type] : []));

describe('what agents have made at the same time', () => {
  test('is checked once more when it was merged, and only then is in the branch of the run', async () => {
    const { run, repository, root } = await openRepository();
    const check = `ls *.part >> ${join(root, 'checked')}; echo >> ${join(root, 'checked')}`;
    const part = (name: string): object =>
      played([[edit(`${name}.part`, name), { await: join(root, 'go') }, { answer: name }]], { check });
    const started = await run({ left: part('left'), right: part('right') });
    await eventually('both have begun', async () => {
      const { tasks } = await started.checkpoint();
      return Object.values(tasks).every(({ workspace }) => workspace !== undefined);
    });
    writeFileSync(join(root, 'go'), '');
    expect((await started.result()).status).toBe('succeeded');

    const events = await eventsOf(started);
    expect(startsOf(events).filter(({ kind }) => kind === 'verify')).toHaveLength(1);
    expect(typesOf(events, 'merge.')).toEqual(['merge.proposed', 'merge.verified']);
    expect(git(repository, 'ls-tree', '--name-only', 'piton/run').split('\n')).toEqual([
      'a.txt',
      'left.part',
      'right.part',
    ]);
  });

  test('and does not pass the check together, is mended by the one who came later, with both in its worktree', async () => {
    const { run, repository, root } = await openRepository();
    const check = {
      run: 'test "$(cat *.part | wc -l)" -le 1 || { echo too many lines; exit 1; }',
      revise: 1,
    };
    const started = await run({
      first: played([[edit('first.part', 'x\n'), { answer: 'f' }]], { check }),
      second: played(
        [
          [edit('second.part', 'y\n'), { await: join(root, 'go') }, { answer: 's' }],
          [
            { expect: 'Brought together with what others have made' },
            { expect: 'too many lines' },
            { run: 'cat first.part second.part > both.part && printf "" > second.part && rm first.part' },
            { run: 'printf "x y\\n" > both.part' },
            { answer: 'mended' },
          ],
        ],
        { check },
      ),
    });
    await eventually('the first is in', async () => {
      const { tasks } = await started.checkpoint();
      return tasks['first']!.status === 'succeeded';
    });
    writeFileSync(join(root, 'go'), '');

    expect(await started.result()).toMatchObject({ outputs: { second: 'mended' } });
    expect(git(repository, 'show', 'piton/run:both.part')).toBe('x y');
    expect(git(repository, 'fsck', '--no-dangling')).toBe('');
  });

  test('is checked in batches, which are halved until the one that breaks them is alone', async () => {
    const { run, repository, root } = await openRepository();
    const at = (name: string): string => join(root, name);
    const log = at('checked');
    // By itself each of them is good; what is merged is noted, and waits for a sign.
    const check = {
      run: `set -- *.part; test $# -gt 1 || exit 0; echo "$@" >> ${log}; while [ ! -e ${at('go-on')} ]; do sleep 0.02; done; test ! -e c-bad.part`,
      revise: 0,
    };
    const part = (name: string, sign: string): object =>
      played([[edit(`${name}.part`, name), { await: at(sign) }, { answer: name }]], { check });
    const started = await run(
      {
        a: part('a', 'first'),
        b: part('b', 'second'),
        'c-bad': part('c-bad', 'third'),
        d: part('d', 'third'),
        e: part('e', 'third'),
      },
      { 'fail-fast': false },
    );
    const until = (name: string, holds: () => Promise<boolean>): Promise<void> => eventually(name, holds);
    const statusOf = async (name: string): Promise<unknown> =>
      (await started.checkpoint()).tasks[name]!.status;
    writeFileSync(at('first'), '');
    await until('a is in', async () => (await statusOf('a')) === 'succeeded');
    writeFileSync(at('second'), '');
    await until('b is being merged', async () => existsSync(log));
    writeFileSync(at('third'), '');
    await until('all others wait for their turn', async () => {
      const { tasks } = await started.checkpoint();
      return ['c-bad', 'd', 'e'].every(
        (name) => tasks[name]!.status === 'queued' && ['integrate', 'verify'].includes(tasks[name]!.stage),
      );
    });
    writeFileSync(at('go-on'), '');
    await until('all but one are in', async () => (await statusOf('e')) === 'succeeded');

    expect(await statusOf('c-bad')).toBe('held');
    expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual([
      'a.part b.part',
      'a.part b.part c-bad.part d.part e.part',
      'a.part b.part c-bad.part d.part',
      'a.part b.part c-bad.part',
      'a.part b.part d.part e.part',
    ]);
    expect(git(repository, 'ls-tree', '--name-only', 'piton/run').split('\n')).toEqual([
      'a.part',
      'a.txt',
      'b.part',
      'd.part',
      'e.part',
    ]);
  });
});
