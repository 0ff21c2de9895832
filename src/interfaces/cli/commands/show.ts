import { PitonError } from '../../../base/index.ts';
import type { Piton, RunRecord } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import { exitCodes } from '../exit-codes.ts';
import { findTask } from '../find-task.ts';
import { printCheckpoint } from '../show/print-checkpoint.ts';
import { printTask } from '../show/print-task.ts';
import { detailOf } from '../show/task-detail.ts';

export const command = defineCommand({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; <run>@<seq> for an earlier checkpoint; default: the latest')
      .argument('[task]', 'its address, such as build or build[ui]')
      .option('--json', 'print JSON'),
  examples: [
    ['piton show', 'inputs, state and tasks of the latest run'],
    ['piton show 4f2@7', 'the same, as it was at the seventh checkpoint'],
    ['piton show 4f2 build', 'all about one task: attempts, output, error, where it wrote'],
  ],
  async run(context, { args }) {
    const { output } = context;
    const piton = await context.openExisting();
    const { record, seq } = await findCheckpoint(piton, args[0]);
    const run = await piton.find(record.run);
    const checkpoint = await run.checkpoint(seq);
    const [, address] = args;
    if (address === undefined) {
      output.json({ checkpoint: `${checkpoint.run}@${checkpoint.seq}`, ...checkpoint });
      if (!output.isJson) printCheckpoint(context, checkpoint);
      return exitCodes.done;
    }
    const task = findTask(checkpoint, address);
    const detail = {
      run: checkpoint.run,
      seq: checkpoint.seq,
      task: address,
      ...(await detailOf(piton, checkpoint, address)),
    };
    output.json({ ...task, ...detail });
    if (!output.isJson) printTask(context, { ...detail, view: task });
    return exitCodes.done;
  },
});

async function findCheckpoint(
  piton: Piton,
  given: string | undefined,
): Promise<{ record: RunRecord; seq: number | undefined }> {
  const [, prefix, digits] = /^(.*?)(?:@(\d+))?$/.exec(given ?? '') ?? [];
  const record = await piton.findRecord(prefix === '' ? undefined : prefix);
  const seq = digits === undefined ? undefined : Number(digits);
  if (seq !== undefined && (seq < 1 || seq > record.seq)) throw noCheckpoint(record, seq);
  return { record, seq };
}

function noCheckpoint({ run, seq: last }: RunRecord, seq: number): PitonError {
  return new PitonError('CHECKPOINT_NOT_FOUND', `Run ${run} has no checkpoint ${seq}.`, {
    run,
    seq,
    remedy: `Its checkpoints are 1 to ${last}: see piton history ${run}.`,
  });
}
