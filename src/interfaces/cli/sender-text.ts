import type { Sender } from '../../model/index.ts';
import { cleanLine } from './output/index.ts';

/** Who decided something, for people. */
export function senderText({ user, host, pid, terminal, attempt }: Sender): string {
  const where = terminal === undefined ? 'no terminal' : terminal;
  const inside = attempt === undefined ? '' : `, inside of attempt ${attempt}`;
  return cleanLine(`${user}@${host} (process ${pid}, ${where}${inside})`);
}
