import { plural, shellWord } from '../../../base/index.ts';
import type { Piton, RunLine } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { Damages } from '../damages.ts';
import { cleanLine, statusCell, whenText } from '../output/index.ts';

import { interruptedRuns } from '../runs.ts';

/** `piton` alone: where you are, and what to do next. */
export const command = defineCommand({
  configure: (command) => command.option('--json', 'print JSON'),
  examples: [],
  async run(context) {
    const damages = new Damages();
    const view = context.project.hasStore() ? await look(await context.openExisting(), damages) : noRuns;
    const workflows = context.project.workflows().map(({ name }) => name);
    const { root, isProject } = context.config;
    const next = nextStep(context, view, workflows);
    context.output.json({ schema: jsonSchema, root, isProject, workflows, ...view, next });
    printPlace(context, workflows);
    printRuns(context, view);
    context.output.next(next, ...(next === toSee ? ['piton init'] : []));
    context.output.print('All commands: piton --help');
    return damages.report(context.output);
  },
});

/** Of what commands print with `--json`: see docs/reference/json.md. */
const jsonSchema = 2;

interface View {
  readonly runs: readonly RunLine[];
  readonly interrupted: readonly string[];
  readonly waiting: number;
}

const noRuns: View = { runs: [], interrupted: [], waiting: 0 };
const mostShown = 5;
const toSee = 'piton demo';

async function look(piton: Piton, damages: Damages): Promise<View> {
  const onDamaged = damages.add;
  const runs = await piton.runs({ limit: mostShown, onDamaged });
  const interrupted = (await interruptedRuns(piton, damages)).map(({ run }) => run);
  return { runs, interrupted, waiting: (await piton.inbox({ onDamaged })).length };
}

function printPlace({ config, output }: Context, workflows: readonly string[]): void {
  const place = config.isProject
    ? `Piton project in ${config.root}`
    : `There is no Piton project in ${config.root}.`;
  output.print(config.isProject ? output.style.bold(place) : place);
  if (workflows.length > 0) output.print(`Workflows: ${workflows.map(cleanLine).join(', ')}`);
}

function printRuns({ output, now }: Context, { runs, interrupted, waiting }: View): void {
  if (runs.length > 0) output.print();
  output.table(
    runs.map(({ run, workflow, status, updatedAt }) => [
      run,
      cleanLine(workflow),
      statusCell(status, output.style),
      whenText(updatedAt, now()),
    ]),
  );
  if (runs.length > 0) output.print();
  if (interrupted.length > 0) output.note(`Interrupted, and waiting to go on: ${interrupted.join(', ')}`);
  if (waiting > 0) output.print(`Waiting for you: ${plural(waiting, 'item')} (piton inbox)`);
}

function nextStep(context: Context, view: View, workflows: readonly string[]): string {
  const { runs, interrupted, waiting } = view;
  const behind = runs.find(({ status }) => status === 'behind');
  if (behind !== undefined) return `piton verify ${shellWord(behind.run)}`;
  if (interrupted.length === 1) return `piton resume ${shellWord(interrupted[0]!)}`;
  if (interrupted.length > 1) return 'piton resume --all';
  if (waiting > 0) return 'piton inbox';
  const active = runs.find(({ status }) => status === 'running' || status === 'delayed');
  if (active !== undefined) return `piton attach ${shellWord(active.run)}`;
  const [latest] = runs;
  if (latest?.status === 'failed') return `piton status ${shellWord(latest.run)}`;
  return firstStep(context, latest, workflows);
}

/** Where nothing goes on. What was run before is likelier to be meant, and to work, than the first by name. */
function firstStep({ config }: Context, latest: RunLine | undefined, workflows: readonly string[]): string {
  const known = workflows.find((name) => name === latest?.workflow) ?? workflows[0];
  if (known !== undefined) return `piton run ${shellWord(known)}`;
  return config.isProject ? `write a workflow into ${config.workflows}, then piton run <its name>` : toSee;
}
