import { execFileSync } from 'node:child_process';

/** The number that a program prints, run in a process of its own. */
export function numberFrom(nodeArguments: readonly string[]): number {
  const printed = execFileSync(process.execPath, nodeArguments, { encoding: 'utf8' }).trim();
  const number = Number(printed);
  if (printed === '' || Number.isNaN(number)) throw new Error(`expected a number, got: ${printed}`);
  return number;
}
