/** A workflow of functions: these cannot be kept, and are given anew to whoever goes on with a run. */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { workflow, type Definition } from '../../../src/index.ts';

/** As the steps of commands do. */
async function step(root: string, name: string): Promise<void> {
  const shared = join(root, 'repository/.git');
  appendFileSync(join(shared, 'ledger'), `${name}\n`);
  if (!existsSync(join(shared, `hang-${name}`))) return;
  writeFileSync(join(shared, `reached-${name}`), '');
  while (existsSync(join(shared, `hang-${name}`))) await pause(20);
}

export function functionsIn(root: string): Definition {
  return workflow('functions')
    .task('plan', async () => (await step(root, 'plan'), 1))
    .task('build', { needs: ['plan'] }, async ({ needs }) => (await step(root, 'build'), needs.plan + 1))
    .task('ship', { needs: ['plan'], onInterrupt: 'ask' }, async () => (await step(root, 'ship'), 'shipped'))
    .task(
      'after',
      { needs: ['build', 'ship'] },
      async ({ needs }) => (await step(root, 'after'), needs.build),
    );
}
