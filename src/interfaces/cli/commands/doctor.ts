import type { DoctorCheck } from '../../../project/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';

export const command = defineCommand({
  configure: (command) => command.option('--json', 'print JSON'),
  examples: [
    ['piton doctor', 'whether everything is in order, and what to do where it is not'],
    ['piton doctor --json', 'for programs; exit code 4 if something is bad'],
  ],
  async run(context) {
    const checks = await context.project.doctor();
    const isOk = !checks.some(({ level }) => level === 'bad');
    context.output.json({ ok: isOk, checks });
    printChecks(context, checks);
    return isOk ? exitCodes.done : exitCodes.refused;
  },
});

const looks = {
  ok: { symbol: '✓ ok', colour: 'green' },
  warn: { symbol: '! warn', colour: 'yellow' },
  bad: { symbol: '✗ bad', colour: 'red' },
} as const;

function printChecks({ output }: Context, checks: readonly DoctorCheck[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, level, text, remedy } of checks) {
    const { symbol, colour } = looks[level];
    output.print(`${output.style[colour](symbol.padEnd(6))}  ${name.padEnd(width)}  ${cleanLine(text)}`);
    // Never cut: it is what somebody came for.
    if (remedy !== undefined) output.print(`${' '.repeat(width + 10)}→ ${cleanLine(remedy)}`);
  }
  const worst = checks.find(({ level }) => level === 'bad') ?? checks.find(({ level }) => level === 'warn');
  output.next(worst?.remedy ?? 'nothing: all is well');
}
