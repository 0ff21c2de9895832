import type { DriverView } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import { conclude } from '../drive/drive-run.ts';
import { watchRun } from '../drive/watch-run.ts';
import { whenText } from '../output/index.ts';

export const command = defineCommand({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; default: the latest')
      .option('--json', 'print events as they happen, one JSON object per line')
      .addHelpText(
        'after',
        `
Ends as the run ends, with its exit code. Ctrl-C ends the watching only (exit code 130): the run goes on.
A run that nobody drives is not waited for: exit code 3 if it waits for you, else 4; piton resume goes on with it.`,
      ),
  examples: [
    ['piton attach', 'watch the latest run'],
    ['piton attach 4f2 --json', 'the same as a stream of events'],
  ],
  async run(context, { args }) {
    const piton = await context.openExisting();
    const { run: id, seq } = await piton.findRecord(args[0]);
    const intro = introOf(await piton.driver(id), context.now());
    return conclude(
      context,
      await watchRun({ ...context, piton }, await piton.find(id), { head: seq, intro }),
    );
  },
});

function introOf(driver: DriverView | undefined, now: number): string {
  if (driver?.alive !== true) return 'Nobody drives it.';
  const state = driver.stopped ? ', which is stopped: nothing happens until it goes on' : '';
  const who = `process ${driver.pid} on ${driver.host} since ${whenText(driver.since, now)}`;
  return `Driven by ${who}${state}. Ctrl-C ends the watching only.`;
}
