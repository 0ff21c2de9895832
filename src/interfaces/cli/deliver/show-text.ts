import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Diff } from '../../../library/index.ts';
import type { Context } from '../context.ts';

/** As a shell says that there is no such program. */
const missingProgram = 127;

function stay(): void {}

/** On a terminal, through the pager that git would take; as it is, if there is none. */
export async function showText({ output, env }: Context, { text, pager }: Diff): Promise<void> {
  const program = env['GIT_PAGER'] ?? pager ?? env['PAGER'] ?? 'less';
  if (program === '' || program === 'cat') return void output.write(text);
  await output.flush();
  const child = spawn('/bin/sh', ['-c', program], {
    // Text that fits on the screen is left there, as git has it.
    env: { LESS: 'FRX', LV: '-c', ...env },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // Ctrl-C is for the pager, and whoever leaves it early has seen enough.
  process.on('SIGINT', stay);
  child.stdin.on('error', stay).end(text);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('SIGINT', stay);
  if (code === missingProgram) output.write(text);
}
