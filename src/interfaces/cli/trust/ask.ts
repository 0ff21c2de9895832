import { createInterface } from 'node:readline';
import { isInsideAttempt } from '../../../base/index.ts';
import type { TrustStanding } from '../../../project/index.ts';
import type { Output } from '../output/index.ts';
import { showStanding } from './show.ts';

interface Asking {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  stdin(): NodeJS.ReadStream;
}

type Asked = Pick<Asking, 'output' | 'stdin'>;

/** False too where nobody is there. */
export async function askForTrust(asking: Asking, standing: TrustStanding): Promise<boolean> {
  if (!canAsk(asking)) return false;
  showStanding(asking.output, standing);
  return says(asking, 'Trust it?');
}

/** Somebody is there: both to read it and to answer. A task that has a terminal of its own is nobody. */
export function canAsk({ output, stdin, env }: Asking): boolean {
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
