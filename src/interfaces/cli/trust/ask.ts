import { createInterface } from 'node:readline';
import { isInsideAttempt, type PitonError } from '../../../base/index.ts';
import type { Config } from '../../../config/index.ts';
import type { Output } from '../output/index.ts';
import {
  isTrustedByCaller,
  reasonOf,
  standingOf,
  trust,
  trustNeeded,
  type Standing,
} from './project-trust.ts';
import { showStanding } from './show.ts';
import { refuseTrackedState } from './tracked-state.ts';

interface Asking {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  readonly directory: string;
  stdin(): NodeJS.ReadStream;
}

type Asked = Pick<Asking, 'output' | 'stdin'>;

/**
 * Before anything that the project says is executed: it is trusted, or somebody at a terminal says that it is. Throws
 * `TRUST_NEEDED`, `STATE_TRACKED`.
 */
export async function requireTrust(asking: Asking): Promise<void> {
  const { config, env } = asking;
  if (isTrustedByCaller(env)) return;
  if (config.isProject) refuseTrackedState(config);
  const standing = standingOf(config, env);
  if (standing.isTrusted) return;
  if (!canAsk(asking)) throw notTrusted(asking, standing);
  showStanding(asking.output, standing);
  if (!(await says(asking, 'Trust it?'))) throw notTrusted(asking, standing);
  trust(config, standing, env);
}

/** Somebody is there: both to read it and to answer. A task that has a terminal of its own is nobody. */
export function canAsk({ output, stdin, env }: Pick<Asking, 'output' | 'stdin' | 'env'>): boolean {
  return output.isTerminal && stdin().isTTY === true && !isInsideAttempt(env);
}

/** Only a clear yes is one; the end of the input is none. */
export async function says({ stdin, output }: Asked, question: string): Promise<boolean> {
  output.complain(`${question} [y/N]`);
  await output.flush();
  const lines = createInterface({ input: stdin() });
  try {
    for await (const answer of lines) return /^y(es)?$/i.test(answer.trim());
    return false;
  } finally {
    lines.close();
  }
}

export function notTrusted({ directory }: Pick<Asking, 'directory'>, standing: Standing): PitonError {
  return trustNeeded(standing.root, directory, reasonOf(standing));
}
