import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where it keeps all sessions; undefined if nowhere. Two that make or change its tables at once fail. */
export function opencodeDatabase(environment: Readonly<Record<string, string>>): string | undefined {
  const { XDG_DATA_HOME: data, HOME: home, OPENCODE_DB: given } = environment;
  if (given === ':memory:') return undefined;
  const folder = join(data || join(home || homedir(), '.local', 'share'), 'opencode');
  return resolve(folder, given || 'opencode.db');
}
