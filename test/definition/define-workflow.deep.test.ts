import { expect, test } from 'vitest';
import { defineWorkflow } from '../../src/definition/index.ts';

test('a chain of a hundred thousand tasks, each reading two others, is defined within seconds', () => {
  const count = 100_000;
  const tasks = Array.from({ length: count }, (_, index) => {
    const given = index < 2 ? {} : { with: `\${{ tasks.t${index - 2}.output }} \${{ tasks.t0.output }}` };
    const work = { type: 'function' as const, function: 'f', ...given };
    return { name: `t${index}`, needs: index === 0 ? [] : [`t${index - 1}`], work, writes: ['src/**'] };
  });
  const { tasks: specs } = defineWorkflow({ name: 'long', tasks });
  expect(specs[count - 1]!.reads).toEqual(['t0', `t${count - 3}`]);
});
