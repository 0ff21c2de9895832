import { execFileSync } from 'node:child_process';

/** What a program prints as JSON, run in a process of its own. */
export function printedBy(nodeArguments: readonly string[]): unknown {
  return JSON.parse(execFileSync(process.execPath, nodeArguments, { encoding: 'utf8' }));
}
