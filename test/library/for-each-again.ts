import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { loadWorkflow } from '../../src/index.ts';
import { git, openRepository } from '../support/repository-place.ts';
import { played } from '../support/scripted-place.ts';

/** A for-each that is done again as a whole does not bring in what was made before. Gives what one of its items has made. */
export async function doAgain(more: object): Promise<string> {
  const { run, root, repository, piton } = await openRepository();
  const flag = join(root, 'bad');
  writeFileSync(flag, '');
  const work =
    'echo x >> "$ITEM.txt" && git add . && git -c user.name=t -c user.email=t@localhost commit -qm work';
  const started = await run(
    {
      each: played([[{ run: work }, { answer: 'x' }]], {
        check: { run: `test "$ITEM" != two -o ! -e ${flag}`, revise: 0 },
        env: { ITEM: '${{ name }}' },
        'for-each': { in: ['one', 'two'], as: 'name', 'max-parallel': 1 },
        ...more,
      }),
    },
    { 'fail-fast': false },
  );
  expect((await started.result()).status).toBe('failed');
  rmSync(flag);
  const again = await piton.resume(await loadWorkflow(join(repository, 'flow.yaml')), 'run', {
    redo: ['each'],
    rerunSucceeded: true,
  });
  expect(await again.result()).toMatchObject({ status: 'succeeded' });
  return git(repository, 'show', 'piton/run:two.txt');
}
