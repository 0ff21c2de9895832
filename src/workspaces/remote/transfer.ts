import { setTimeout as pause } from 'node:timers/promises';
import { PitonError, systemClock } from '../../base/index.ts';
import { inRepository, type Git } from '../git/index.ts';
import { gitOverSsh } from './machine.ts';
import { retryMs, unreachable, type Line } from './ssh.ts';

export interface Transfer {
  /** Of git: `fetch` or `push`, with the address. */
  readonly args: readonly string[];
  readonly commonDir: string;
  readonly effect: string;
}

/** Lets git itself talk to the machine, with the same patience as every other call. Throws `REMOTE_FAILED`, `GIT_FAILED`. */
export async function transfer(git: Git, line: Line, { args, commonDir, effect }: Transfer): Promise<void> {
  const until = systemClock.elapsed() + line.patienceMs;
  const { cwd, env } = inRepository({ commonDir });
  const options = { cwd, env: { ...env, ...gitOverSsh(line) }, effect };
  for (;;) {
    try {
      await git.run(args, options);
      return;
    } catch (error) {
      const words = wordsOfSsh(error);
      if (words === undefined) throw error;
      if (systemClock.elapsed() + retryMs > until) throw unreachable(line.machine, words, error);
    }
    await pause(retryMs);
  }
}

/** Git says so, whatever ssh has said before; undefined: it failed for another reason. */
function wordsOfSsh(error: unknown): string | undefined {
  if (!(error instanceof PitonError) || error.code !== 'GIT_FAILED') return undefined;
  const stderr = String(error.details['stderr']);
  return /Could not read from remote repository|the remote end hung up/i.test(stderr) ? stderr : undefined;
}
