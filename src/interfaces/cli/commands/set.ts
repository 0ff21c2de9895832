import { PitonError, shellWord } from '../../../base/index.ts';
import { defineCommand } from '../command-spec.ts';
import { refused } from '../decide.ts';
import { exitCodes } from '../exit-codes.ts';
import { nextStep } from '../next-step.ts';
import { cleanLine } from '../output/index.ts';
import { readSettings, settingKeys } from '../settings/read-settings.ts';

export const command = defineCommand({
  configure: (command) =>
    command
      .argument('<run>', 'beginning of its id')
      .argument('[settings...]', `key=value: ${settingKeys.join(', ')}`)
      .option('--json', 'print JSON')
      .addHelpText(
        'after',
        `
An empty value takes a setting back: label.team= removes the label, max-parallel= means what the workflow says. none is no limit.
All that is given is set together, or nothing is. Whoever drives the run obeys at once; nothing is started by this.
What is said of a run (name, group, note, labels, metadata) may be changed after its end too, its limits may not.`,
      ),
  examples: [
    ['piton set 4f2 name="Release 1.2" group=releases label.team=web', 'what is said of a run'],
    ['piton set 4f2 label.team= note="look at the second attempt"', 'remove a label, leave a note'],
    ['piton set 4f2 max-parallel=2', 'if more are running, nothing new starts until fewer are'],
    ['piton set 4f2 budget.usd=20 budget.tokens=none', 'what its agents may use, all in all'],
    ['piton set 4f2 metadata.ticket=ABC-1 metadata=@build.json', 'what programs say of it'],
  ],
  async run(context, { args }) {
    const [given, ...pairs] = args;
    if (given!.includes('=')) throw runFirst(args);
    if (pairs.length === 0) throw nothing(given!);
    const settings = readSettings(pairs, context.directory);
    const piton = await context.openExisting();
    const { run } = await piton.findRecord(given);
    const handle = await piton.find(run);
    const { status, text } = await handle.set(settings);
    if (status === 'refused') throw refused(run, text);
    const { output } = context;
    output.json({ run, status, text });
    output.print(`Run ${run}: ${cleanLine(text)}.`);
    if (!output.isJson) output.next(nextStep(await handle.view()) ?? `piton status ${shellWord(run)}`);
    return exitCodes.done;
  },
});

function runFirst(args: readonly string[]): PitonError {
  return new PitonError('USAGE_INVALID', `${args[0]} is no run.`, {
    remedy: `The run comes first: piton set <run> ${args.map(shellWord).join(' ')}`,
  });
}

function nothing(run: string): PitonError {
  return new PitonError('USAGE_INVALID', 'Nothing is to be set.', {
    remedy: `Write piton set ${shellWord(run)} <key>=<value>; keys are ${settingKeys.join(', ')}.`,
  });
}
