import { findExecutable, type Agent } from '../agents/index.ts';
import type { Outcome } from '../model/index.ts';

interface Sought {
  /** As configured. */
  readonly executable: string | undefined;
  readonly args: readonly string[];
  readonly path: string;
  readonly lastWords: string | undefined;
}

/** The shell did not find the program of an agent, or could not run it. */
export function missingAgent(
  { title, name, executable: own }: Agent,
  { executable: configured, args, path, lastWords }: Sought,
): Outcome {
  const executable = configured ?? (own === '' ? (args[0] ?? '') : own);
  const where = executable.includes('/') ? '' : ' on the PATH';
  const isThere = findExecutable(executable, path) !== undefined;
  const message = isThere
    ? `${title} is installed, but cannot be run: ${lastWords ?? 'it ended with exit code 127'}`
    : own === ''
      ? `The program that \`args\` names for ${name} is not there: there is no ${executable}${where}.`
      : `${title} is not installed: there is no ${executable}${where}. See \`piton agents\`.`;
  return {
    type: 'failed',
    failure: { code: 'AGENT_MISSING', message, retryable: false, class: 'permanent' },
  };
}
