import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadWorkflow } from '../../src/index.ts';
import { binary } from '../support/built.ts';
import { eventually } from '../support/eventually.ts';
import { openRepository } from '../support/repository-place.ts';
import { writeFlow } from '../support/scripted-place.ts';

test('a lock whose driver was killed is free again when the command that it was for has ended', async () => {
  const { root, repository, piton } = await openRepository();
  const at = (name: string): string => join(root, name);
  const file = writeFlow(repository, {
    first: {
      run: `: > ${at('begun')}; while [ ! -e ${at('go')} ]; do sleep 0.02; done; : > ${at('ended')}`,
      'repository-locks': 'database',
    },
    second: { run: 'true', needs: 'first', 'repository-locks': 'database' },
  });
  const args = [binary, 'run', file, '--store', `sqlite:${at('piton.db')}`, '--id', 'run'];
  const driver = spawn(process.execPath, args, { cwd: repository, stdio: 'ignore' });
  await eventually('the first has begun', () => existsSync(at('begun')));
  driver.kill('SIGKILL');
  await once(driver, 'exit');
  writeFileSync(at('go'), '');
  await eventually('its exit is written down', () => existsSync(at('ended')) && hasExited(at('spool')));

  const run = await piton.resume(await loadWorkflow(file), 'run');
  await eventually('the second is done', async () => {
    const { tasks } = await run.checkpoint();
    return tasks['second']!.status === 'succeeded';
  });
  const { tasks } = await run.checkpoint();
  expect(tasks['first']!.attempts).toBe(1);
});

function hasExited(spool: string): boolean {
  const attempt = readdirSync(spool).find((name) => !name.startsWith('.'));
  return existsSync(join(spool, attempt!, 'exit'));
}
