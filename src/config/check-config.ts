import { hasCode, PitonError } from '../base/index.ts';
import { problem, problemsOf, type ConfigProblem } from './config-source.ts';
import { readText, readUserFile } from './config-file.ts';
import { environmentLayer } from './environment-layer.ts';
import { parseConfig } from './parse-config.ts';
import { readSettings } from './read-config-file.ts';

/** What is wrong with a configuration file. */
export interface ConfigReport {
  readonly file: string;
  readonly isThere: boolean;
  readonly problems: readonly ConfigProblem[];
}

export interface JudgedFile {
  readonly file: string;
  /** It holds in every project, and only the user may write to it. */
  readonly isOfUser: boolean;
  /** It was named, and so it must be there. */
  readonly isNamed: boolean;
}

/** All that is wrong with a file, whatever else is configured. */
export async function checkConfigFile({ file, isOfUser, isNamed }: JudgedFile): Promise<ConfigReport> {
  let isThere = true;
  const problems = await problemsIn(async () => {
    const text = isOfUser ? readUserFile(file) : readText(file);
    isThere = text !== undefined;
    if (text === undefined && isNamed) throw problem(file, 'there is no such file');
    if (text !== undefined) readSettings({ ...(await parseConfig(text, file)), isOfUser });
  });
  return { file, isThere, problems };
}

/** The same of what is set in the environment. */
export function checkEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly ConfigProblem[]> {
  return problemsIn(() => void readSettings(environmentLayer(env).setting));
}

async function problemsIn(read: () => void | Promise<void>): Promise<readonly ConfigProblem[]> {
  try {
    await read();
    return [];
  } catch (thrown) {
    const isExpected = hasCode(thrown, 'CONFIG_INVALID') || hasCode(thrown, 'CONFIG_TOO_NEW');
    if (!(thrown instanceof PitonError) || !isExpected) throw thrown;
    return problemsOf(thrown);
  }
}
