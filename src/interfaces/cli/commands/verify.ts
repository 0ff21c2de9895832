import { shellWord } from '../../../base/index.ts';
import type { Piton, Repair, RunVerdict } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';

interface Options {
  readonly repair?: boolean;
}

interface Repaired extends Repair {
  readonly run: string;
}

interface Findings {
  readonly damaged: readonly RunVerdict[];
  readonly repairs: readonly Repaired[];
  /** Of the store itself, beside the journals. */
  readonly store: readonly string[];
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
    const run = args[0];
    const verdicts = run === undefined ? await piton.verify() : await verdictOf(piton, run);
    const damaged = verdicts.filter(({ ok }) => !ok);
    const repairs = options.repair === true ? await repairAll(piton, damaged) : [];
    // After the repairs: what they have mended is sound.
    const store = run === undefined ? await piton.checkStore() : [];
    const isSound = damaged.length === repairs.length && store.length === 0;
    const repaired = options.repair === true && { repairs };
    context.output.json({ ok: isSound, runs: verdicts, ...(run === undefined && { store }), ...repaired });
    printVerdicts(context, verdicts, repairs);
    for (const fault of store) context.output.print(`store: ${cleanLine(fault)}`);
    return nextStep(context, { damaged, repairs, store });
  },
});

/** Also of a run whose row is damaged, which no list can show, or which the store has lost. */
async function verdictOf(piton: Piton, given: string): Promise<readonly RunVerdict[]> {
  const runs = (await piton.runIds()).filter((run) => given !== '' && run.startsWith(given));
  const [only] = runs.includes(given) ? [given] : runs.length === 1 ? runs : [];
  if (only !== undefined) return piton.verify(only);
  const lost = (await piton.verify()).filter(
    ({ run, faults: [fault] }) => run === given && fault?.in === 'run',
  );
  return lost.length > 0 ? lost : piton.verify((await piton.findRecord(given)).run);
}

/** What a newer Piton has written is not mended by going back, and of a run that is gone nothing is there to mend. */
async function repairAll(piton: Piton, damaged: readonly RunVerdict[]): Promise<Repaired[]> {
  const repairs: Repaired[] = [];
  for (const { run, faults } of damaged) {
    if (beyondRepair(faults) !== undefined) continue;
    repairs.push({ run, ...(await piton.repair(run)) });
  }
  return repairs;
}

function isAround({ in: where }: RunVerdict['faults'][number]): boolean {
  return where === 'spool' || where === 'git';
}

/** Undefined if going back helps, at least with the journal. */
function beyondRepair(faults: RunVerdict['faults']): RunVerdict['faults'][number] | undefined {
  const first = faults.find((fault) => unmendable.has(fault.in));
  return first !== undefined && isAround(first) && faults.some((fault) => !isAround(fault))
    ? undefined
    : first;
}

const unmendable: ReadonlyMap<RunVerdict['faults'][number]['in'], string> = new Map([
  ['version', '✗ unreadable'],
  ['spool', '✗ unreadable'],
  ['git', '✗ incomplete'],
  ['run', '✗ lost'],
]);

function wordOf(faults: RunVerdict['faults']): string {
  return unmendable.get(beyondRepair(faults)?.in ?? 'journal') ?? '✗ damaged';
}

function printVerdicts(
  { output }: Context,
  verdicts: readonly RunVerdict[],
  repairs: readonly Repaired[],
): void {
  output.table(
    verdicts.map(({ run, commits, ok, firstBad, reason, faults }) => [
      run,
      ok ? { text: '✓ sound', paint: output.style.green } : { text: wordOf(faults), paint: output.style.red },
      ok
        ? `${commits} checkpoints`
        : `${firstBad === undefined ? '' : `good up to ${run}@${firstBad - 1}: `}${cleanLine(reason ?? '')}`,
    ]),
  );
  for (const { run, faults, notes = [] } of verdicts) {
    for (const { what, consequence, remedy } of faults)
      output.print(`${run}: ${cleanLine(`${what}: ${consequence}. ${remedy}`)}`);
    for (const { what, consequence } of notes)
      output.print(output.style.dim(`${run}: ${cleanLine(`${what}: ${consequence}`)}`));
  }
  for (const { run, lastGood, held, takenUp = [], mended } of repairs) {
    const waiting = held.length === 0 ? 'nothing is held' : `held, for you to look at: ${held.join(', ')}`;
    const anew = mended === undefined ? '' : ' Its row was made anew from the journal.';
    const known =
      takenUp.length === 0
        ? ''
        : ` Not started again, since the spool has what they did: ${takenUp.join(', ')}.`;
    output.print(`${run} was taken back to ${run}@${lastGood}; ${waiting}.${known}${anew}`);
  }
}

function nextStep({ output }: Context, { damaged, repairs, store }: Findings): ExitCode {
  const bad = damaged.find(({ run }) => !repairs.some((repair) => repair.run === run));
  if (bad !== undefined) {
    output.next(beyondRepair(bad.faults)?.remedy ?? `piton verify ${shellWord(bad.run)} --repair`);
    return exitCodes.refused;
  }
  if (store.length > 0) {
    output.next('keep a copy of the store and of its -wal file, and restore a backup');
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
