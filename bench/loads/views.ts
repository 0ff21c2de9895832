import { join } from 'node:path';
import { costOf, install, type Installed } from '../installed.ts';
import { open, workflow, type Definition } from '../library.ts';
import { writeLongRun } from '../long-run.ts';
import { interleave, medianOf, medianRatio } from '../rounds.ts';
import { atMost, type Row } from '../row.ts';
import { inFolder, scaled, type Settings } from '../settings.ts';
import { layers, runMany } from '../workloads.ts';

const waitingRuns = 10;
const mostTimesFloor = 1.8;
/** One call is short, and jumps more than a long load. */
const callsPerRound = 2;

/**
 * The processors' time of a command that shows a part of what is stored, beside that of the same program when it reads one row of the same
 * store. Nothing of what is not shown should be seen in it.
 */
export async function views(settings: Settings): Promise<Row[]> {
  const installed = await install();
  const runs = scaled(1_000, settings);
  const tasks = scaled(100, settings);
  const commits = scaled(6_000, settings);
  const bytes = scaled(40_000_000, settings);
  return [
    ...(await inFolder(async (folder) => {
      const file = join(folder, 'many.db');
      await writeManyRuns(file, { runs, tasks });
      return measure(installed, { file, settings, of: '1,000 runs of 100 tasks' });
    })),
    ...(await inFolder(async (folder) => {
      const file = join(folder, 'long.db');
      await writeLongRun(file, { commits, bytes });
      return measure(installed, {
        file,
        settings,
        of: 'a run of 6,000 commits, 40 MB of transcript',
      });
    })),
  ];
}

interface Measured {
  readonly file: string;
  readonly settings: Settings;
  readonly of: string;
}

async function measure(installed: Installed, { file, settings, of }: Measured): Promise<Row[]> {
  const call = (...words: string[]) => {
    const args = [installed.binary, ...words, '--store', `sqlite:${file}`];
    return () => costOf(installed, args, 'compiled').processor;
  };
  const measures = { status: call('status'), inbox: call('inbox'), row: call('list', '--limit', '1') };
  for (const warmUp of Object.values(measures)) warmUp();
  const samples = await interleave(settings.isQuick ? 1 : settings.rounds * callsPerRound, measures);
  return (['status', 'inbox'] as const).map((name) => {
    const ratio = medianRatio(samples, [name, 'row']);
    return {
      load: `piton ${name}, ${of} (floor: piton list --limit 1)`,
      durability: 'none',
      unit: 'ms of processors',
      ours: medianOf(samples, name),
      floor: medianOf(samples, 'row'),
      ratio,
      target: atMost(ratio, mostTimesFloor, 'times the floor'),
    };
  });
}

/** Most have ended; a few wait for a person. */
async function writeManyRuns(file: string, { runs, tasks }: { runs: number; tasks: number }): Promise<void> {
  const piton = await open({ store: `sqlite:${file}`, durability: 'process' });
  await runMany(piton, layers(tasks, 10), { runs, concurrency: 16 });
  for (let count = 0; count < waitingRuns; count++) await piton.start(waiting(tasks));
  await piton.close();
}

/** Its first task asks a person, and all others need it. */
function waiting(tasks: number): Definition {
  let built = workflow('waiting').task('ask', { approval: 'Go on?' }, () => 0) as Built;
  for (let index = 1; index < tasks; index++)
    built = built.task(`t${index}`, { needs: ['ask'] }, () => index);
  return built;
}

interface Built extends Definition {
  task(name: string, options: { readonly needs: readonly string[] }, run: () => unknown): Built;
}
