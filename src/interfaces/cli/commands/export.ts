import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { asError, hasCode, PitonError, plural, shellWord } from '../../../base/index.ts';
import type { Exported, Piton } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { cleanLine, escapeControls } from '../output/index.ts';

interface Options {
  readonly output?: string;
  readonly force?: boolean;
  readonly jsonl?: boolean;
  readonly files: boolean;
  readonly history?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; default: the latest')
      .option('-o, --output <file>', 'where to write it; default: <run>.piton here')
      .option('--force', 'replace a file that is there')
      .option('--jsonl', 'for other programs: one line of JSON for each event, printed if no file is given')
      .option('--no-files', 'without what the run has made in git')
      .option('--history', 'with all commits that the run builds on, for a repository that has none of them')
      .option('--json', 'print JSON'),
  examples: [
    ['piton export 4f2', 'write 4f2….piton, for piton import in another project or on another machine'],
    ['piton export 4f2 --jsonl', 'print every event, with big values in place'],
  ],
  async run(context, { args, options }) {
    const piton = await context.openExisting();
    const { run } = await piton.findRecord(args[0]);
    if (options.jsonl === true) await writeLines(context, { piton, run, options });
    else await writeFile(context, { piton, run, options });
    return exitCodes.done;
  },
});

interface Exporting {
  readonly piton: Piton;
  readonly run: string;
  readonly options: Options;
}

async function writeFile(context: Context, { piton, run, options }: Exporting): Promise<void> {
  const { output, directory } = context;
  const file = resolve(directory, options.output ?? `${run.replaceAll(':', '-')}.piton`);
  const { force = false, files, history = false } = options;
  const exported = await piton.export(run, file, { force, files, history });
  output.json(exported);
  print(context, exported);
  output.print('In another project, or on another machine:');
  output.next(`piton import ${shellWord(file)}`);
}

function print({ output }: Context, { run, file, seq, blobs, dropped, refs, notes }: Exported): void {
  const parts = [plural(seq, 'checkpoint'), plural(blobs, 'value'), plural(refs, 'ref')];
  output.print(`Exported ${run} up to ${run}@${seq} (${parts.join(', ')}): ${file}`);
  if (dropped > 0) output.note(`${plural(dropped, 'big value')} had been dropped before: see preserve.`);
  for (const note of notes) output.note(cleanLine(note));
  output.print(
    'It holds all prompts, answers and outputs of the run: give it only to whom you would show these.',
  );
}

/** Of a sound journal only: what was changed on the disk is not handed on as what happened. */
async function writeLines(context: Context, { piton, run, options }: Exporting): Promise<void> {
  const [verdict] = await piton.verify(run);
  const damage = verdict?.faults.find(({ in: where }) => where === 'journal' || where === 'version');
  if (damage !== undefined) throw new PitonError('RUN_DAMAGED', damage.what, { run, remedy: damage.remedy });
  const events = (await piton.find(run)).history({ transcripts: true });
  const file = options.output === undefined ? undefined : resolve(context.directory, options.output);
  if (file === undefined) {
    for await (const event of events)
      if (!context.output.write(`${escapeControls(JSON.stringify(event))}\n`)) return;
    return;
  }
  const count = await writeAll(file, events, options.force === true);
  context.output.json({ run, file, events: count });
  context.output.print(`Exported ${plural(count, 'event')} of ${run}: ${file}`);
}

async function writeAll(file: string, events: AsyncIterable<object>, force: boolean): Promise<number> {
  const handle = await open(file, force ? 'w' : 'wx', 0o600).catch((cause: unknown) => {
    throw unwritable(file, cause);
  });
  try {
    let count = 0;
    for await (const event of events) {
      await handle.writeFile(`${JSON.stringify(event)}\n`);
      count++;
    }
    return count;
  } finally {
    await handle.close();
  }
}

function unwritable(file: string, cause: unknown): PitonError {
  if (hasCode(cause, 'EEXIST'))
    return new PitonError('EXPORT_EXISTS', `There is a file ${file} already.`, {
      file,
      remedy: 'Choose another name, or replace it with --force.',
    });
  return new PitonError('EXPORT_FAILED', `${file} cannot be written: ${asError(cause).message}.`, {
    file,
    cause,
    remedy: 'Choose another folder, with -o.',
  });
}
