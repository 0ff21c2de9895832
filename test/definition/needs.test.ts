import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { messages, refusal, task, workflow } from './support.ts';

test('a need that does not exist is refused, and the nearest name suggested', () => {
  expect(refusal(() => workflow([task('plan'), task('build', { needs: ['plam'] })]))).toEqual([
    { message: 'There is no task `plam`.', path: 'tasks.build.needs[0]', remedy: 'Did you mean `plan`?' },
  ]);
});

test('a need that is named twice is refused', () => {
  const problems = refusal(() => workflow([task('a'), task('b', { needs: ['a', 'a'] })]));
  expect(messages(problems)).toEqual(['`a` is named twice in the needs of `b`.']);
});

test('a task cannot need itself', () => {
  expect(messages(refusal(() => workflow([task('a', { needs: ['a'] })])))).toEqual(['`a` needs itself.']);
});

test('tasks that wait for each other are refused, and the circle is shown', () => {
  const problems = refusal(() =>
    workflow([
      task('a', { needs: ['b'] }),
      task('b', { needs: ['c'] }),
      task('c', { needs: ['a'] }),
      task('d', { needs: ['a'] }),
    ]),
  );
  expect(messages(problems)).toEqual([
    'These tasks wait for each other: a → b → c → a (each needs the next).',
  ]);
});

test.each([
  [21, 21],
  [22, 20],
  [30, 20],
])('of a circle of %i tasks the first %i are shown, and where it closes', (count, shown) => {
  const names = Array.from({ length: count }, (_, index) => `t${index}`);
  const tasks = names.map((name, index) => task(name, { needs: [names[(index + 1) % count]!] }));
  const left = shown < count ? ['…'] : [];
  const circle = [...names.slice(0, shown), ...left, 't0'].join(' → ');
  expect(refusal(() => workflow(tasks))).toEqual([
    {
      path: 'tasks.t0.needs',
      message: `These tasks wait for each other: ${circle} (each needs the next).`,
      remedy: 'Remove one of these needs.',
    },
  ]);
});

test('every circle is shown, not only the first', () => {
  const problems = refusal(() =>
    workflow([
      task('a', { needs: ['b'] }),
      task('b', { needs: ['a'] }),
      task('c', { needs: ['d'] }),
      task('d', { needs: ['c'] }),
    ]),
  );
  expect(problems).toHaveLength(2);
});

/** For each task the positions of earlier ones that it needs, and an order in which to write them down. */
const graphs = fc
  .array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 2, maxLength: 30 })
  .map((lists) =>
    lists.map((list, position) => (position === 0 ? [] : [...new Set(list.map((n) => n % position))])),
  )
  .chain((needs) =>
    fc.tuple(
      fc.constant(needs),
      fc.shuffledSubarray([...needs.keys()], { minLength: needs.length, maxLength: needs.length }),
    ),
  );

const drafts = (needs: readonly (readonly number[])[], order: readonly number[]) =>
  order.map((position) => task(`t${position}`, { needs: needs[position]!.map((need) => `t${need}`) }));

test('whatever has no circle is accepted, in whatever order it is written', () => {
  fc.assert(
    fc.property(graphs, ([needs, order]) => {
      expect(workflow(drafts(needs, order)).tasks).toHaveLength(needs.length);
    }),
  );
});

test('a need that closes a circle is refused with a circle that is really there', () => {
  fc.assert(
    fc.property(graphs, fc.nat(), ([needs, order], pick) => {
      // The last task is made to need its ancestors; one of them is made to need the last.
      const last = needs.length - 1;
      const chained = needs.map((list, position) =>
        position === 0 ? [] : [...new Set([...list, position - 1])],
      );
      const early = pick % last;
      chained[early] = [...chained[early]!, last];
      const tasks = drafts(chained, order);
      const problems = refusal(() => workflow(tasks));
      const shown = /: (.*) \(each/.exec(problems[0]!.message)![1]!.split(' → ');
      if (shown.includes('…')) return;
      expect(shown[0]).toBe(shown.at(-1));
      for (const [index, name] of shown.slice(0, -1).entries()) {
        expect(tasks.find((candidate) => candidate.name === name)!.needs).toContain(shown[index + 1]);
      }
    }),
  );
});
