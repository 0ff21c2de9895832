import { writeFileSync } from 'node:fs';
import type { JsonObject } from '../../base/index.ts';

/** Written at once and whole: what was said is there, whenever the client dies afterwards. */
export function say(event: JsonObject): void {
  writeFileSync(1, `${JSON.stringify(event)}\n`);
}
