import { writeSync } from 'node:fs';
import { hasCode, type JsonObject } from '../../base/index.ts';

/** Written at once and whole: what was said is there, whenever the player dies afterwards. */
export function say(event: JsonObject): void {
  write(`${JSON.stringify(event)}\n`);
}

export function write(content: string | Buffer): void {
  let rest = Buffer.from(content);
  while (rest.length > 0) rest = rest.subarray(writeSome(rest));
}

function writeSome(content: Buffer): number {
  try {
    return writeSync(1, content);
  } catch (error) {
    // A pipe that is full for the moment.
    if (hasCode(error, 'EAGAIN')) return 0;
    throw error;
  }
}
