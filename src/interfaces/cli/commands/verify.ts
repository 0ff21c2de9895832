import type { RunVerdict } from '../../../engine/index.ts';
import type { Piton } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';
import { findRecord } from '../runs.ts';

interface Options {
  readonly repair?: boolean;
}

interface Repair {
  readonly run: string;
  readonly lastGood: number;
  readonly held: readonly string[];
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; default: all runs')
      .option(
        '--repair',
        'take damaged runs back to their last good checkpoint, and hold what may have run since',
      )
      .option('--json', 'print JSON'),
  examples: [
    ['piton verify', 'look through the journals of all runs'],
    ['piton verify 4f2 --repair', 'mend one'],
  ],
  async run(context, { args, options }) {
    const piton = await context.openExisting();
    const run = args[0] === undefined ? undefined : (await findRecord(piton, args[0])).run;
    const verdicts = await piton.verify(run);
    const damaged = verdicts.filter(({ ok }) => !ok);
    const repairs = options.repair === true ? await repairAll(piton, damaged) : [];
    const isSound = damaged.length === repairs.length;
    context.output.json({ ok: isSound, runs: verdicts, ...(options.repair === true && { repairs }) });
    printVerdicts(context, verdicts, repairs);
    return nextStep(context, { damaged, repairs });
  },
});

async function repairAll(piton: Piton, damaged: readonly RunVerdict[]): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for (const { run } of damaged) repairs.push({ run, ...(await piton.repair(run)) });
  return repairs;
}

function printVerdicts(
  { output }: Context,
  verdicts: readonly RunVerdict[],
  repairs: readonly Repair[],
): void {
  output.table(
    verdicts.map(({ run, commits, ok, firstBad, reason }) => [
      run,
      ok ? { text: '✓ sound', paint: output.style.green } : { text: '✗ damaged', paint: output.style.red },
      ok ? `${commits} checkpoints` : `bad from ${firstBad}: ${cleanLine(reason ?? '')}`,
    ]),
  );
  for (const { run, lastGood, held } of repairs) {
    const waiting = held.length === 0 ? 'nothing is held' : `held, for you to look at: ${held.join(', ')}`;
    output.print(`${run} was taken back to ${run}@${lastGood}; ${waiting}.`);
  }
}

function nextStep(
  { output }: Context,
  { damaged, repairs }: { damaged: readonly RunVerdict[]; repairs: readonly Repair[] },
): ExitCode {
  const bad = damaged.find(({ run }) => !repairs.some((repair) => repair.run === run));
  if (bad !== undefined) {
    output.next(`piton verify ${bad.run} --repair`);
    return exitCodes.refused;
  }
  const held = repairs.find((repair) => repair.held.length > 0);
  output.next(
    held !== undefined
      ? 'piton inbox'
      : repairs[0] !== undefined
        ? `piton resume ${repairs[0].run}`
        : 'nothing: all is sound',
  );
  return exitCodes.done;
}
