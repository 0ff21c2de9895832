import { createInterface } from 'node:readline';
import { isInsideAttempt } from '../../base/index.ts';
import type { Output } from './output/index.ts';

export interface Prompting {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  stdin(): NodeJS.ReadStream;
}

type Terminal = Pick<Prompting, 'output' | 'stdin'>;

/** Whether a person is there to read a question and to answer it. A task that has a terminal of its own is no person. */
export function canAsk({ output, stdin, env }: Prompting): boolean {
  return output.isTerminal && stdin().isTTY === true && !isInsideAttempt(env);
}

/** True only for a clear yes. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const answer = await readLine(terminal, `${question} [y/N]`, (line) => line.trim());
  return /^y(es)?$/i.test(answer ?? '');
}

/** What `read` makes of the first line that it accepts; undefined at the end of the input. */
export async function readLine<T>(
  { stdin, output }: Terminal,
  question: string,
  read: (line: string) => T | undefined,
): Promise<T | undefined> {
  output.complain(question);
  await output.flush();
  const lines = createInterface({ input: stdin() });
  try {
    for await (const line of lines) {
      const answer = read(line);
      if (answer !== undefined) return answer;
    }
    return undefined;
  } finally {
    lines.close();
  }
}
