import { randomId, type JsonObject, type PitonError, plural } from '../../../base/index.ts';
import type { Definition, RunLine, StartOptions } from '../../../library/index.ts';
import type { AboutChange, Origin } from '../../../model/index.ts';
import { preflightError } from '../../../project/index.ts';
import { defineCommand } from '../command-spec.ts';
import { collect } from '../collect.ts';
import type { Context } from '../context.ts';
import { detach } from '../drive/detach.ts';
import { sayVersion } from '../drive/choose-definition.ts';
import { conclude, driveToExit } from '../drive/drive-run.ts';
import { findingText } from '../drive/problem-text.ts';
import { printPlan } from '../drive/print-plan.ts';
import { readInputs } from '../drive/read-inputs.ts';
import { watchRun } from '../drive/watch-run.ts';
import type { ExitCode } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';
import { noticeInterrupted } from '../runs.ts';
import { readAbout, type AboutOptions } from '../settings/read-about.ts';

interface Options extends AboutOptions {
  readonly inputs?: readonly string[];
  readonly input?: string;
  readonly id?: string;
  readonly detach?: boolean;
  readonly only?: readonly string[];
  readonly until?: readonly string[];
  readonly skip?: readonly string[];
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('<workflow>', 'its name in .piton/workflows, or the path of its file')
      .option('-i, --inputs <name=value>', 'an input; may be given several times', collect)
      .option('--input <file>', 'inputs from a file of JSON or YAML; -: from standard input')
      .option('--id <id>', 'the name of the run; if it is there already, this attaches to it')
      .option('--name <text>', 'a title of the run, for people')
      .option('--label <key=value>', 'a label to choose runs by; may be given several times', collect)
      .option('--group <name>', 'the group of runs that it belongs to')
      .option('--note <text>', 'a note for whoever looks at the run')
      .option(
        '--metadata <key=value>',
        'what programs say of it; or @file.json; may be given several times',
        collect,
      )
      .option('--only <tasks>', 'these tasks alone; what they need counts as done', asList)
      .option('--until <tasks>', 'these tasks and all that they need', asList)
      .option('--skip <tasks>', 'without these tasks', asList)
      .option('--detach', 'run in the background')
      .option('--dry-run', 'print the plan, and do nothing')
      .option('--force', 'start although something that it needs is missing')
      .option('--json', 'print events as they happen, one JSON object per line')
      .addHelpText(
        'after',
        `
Numbers, true, false, lists and objects are written as in JSON, where the workflow says that an input is one.
Ctrl-C stops what runs and leaves; a second Ctrl-C leaves at once, and commands run on. Nothing is lost either way.
Before a new run begins, what it needs is looked for: agents, programs, secrets, the repository. If something is missing, nothing is started.
Exit codes: 0 done, 1 failed or cancelled, 2 bad usage or definition, 3 waits for a person, 4 refused, 130 stopped.`,
      ),
  examples: [
    ['piton run hello', 'a workflow of this project'],
    ['piton run ./release.yaml -i version=1.2.0 -i push=false', 'a file anywhere, with inputs'],
    ['piton run release --dry-run', 'what would be done, in which order'],
    ['piton run release --id release-1.2.0', 'starting it twice is starting it once'],
    ['piton run release --name "Release 1.2" --group releases --label team=web', 'what lists show of it'],
    ['piton run release --detach', 'in the background; piton attach watches it'],
  ],
  async run(context, { args, options }) {
    const { project } = context;
    const file = project.findWorkflow(args[0]!);
    const definition = await project.load(file, options);
    const inputs = await readInputs(definition.workflow, {
      pairs: options.inputs ?? [],
      file: options.input,
      directory: context.directory,
      stdin: context.stdin,
    });
    if (options.dryRun === true) return printPlan(context, definition, inputs);
    const about = readAbout(options, context.directory);
    const origin = project.originOf(file, options);
    return begin(context, { definition, inputs, origin, about }, options);
  },
});

interface Order {
  readonly definition: Definition;
  readonly inputs: JsonObject;
  readonly origin: Origin;
  readonly about: AboutChange;
}

async function begin(context: Context, order: Order, options: Options): Promise<ExitCode> {
  const { id = randomId(12) } = options;
  await noticeInterrupted(context, { except: id });
  const existing = options.id === undefined ? undefined : await existingRun(context, id);
  if (existing !== undefined && (await isDrivenElsewhere(context, id))) return watch(context, existing);
  if (existing === undefined) await lookAhead(context, order, options);
  if (options.detach === true) return startDetached(context, id, { order, options });
  const piton = await context.open();
  const { definition, inputs, origin, about } = order;
  // What a definition of unknown types takes is known to the definition alone, which checks it.
  const given = { id, inputs, origin, ...about } as StartOptions<never, unknown>;
  if (existing === undefined) await noticeUncommitted(context, order);
  else await sayVersion(context, { run: id, found: order, goesOn: 'migrating' });
  return driveToExit(context, async () => {
    const run = await piton.start(definition, given);
    // Not before it is true: an id or inputs that do not fit are refused until here.
    sayWhat(context, order, existing ?? id);
    return [run];
  });
}

/** What is missing is told all at once, before anything is written down. */
async function lookAhead(
  context: Context,
  { definition, origin }: Order,
  { force = false }: Options,
): Promise<void> {
  const { output, project } = context;
  const found = await project.preflight(definition, origin.file);
  const error = preflightError(definition.workflow.name, found, context.directory);
  const isShown = (level: string): boolean => level === 'warning' || force;
  for (const finding of found.findings.filter(({ level }) => isShown(level)))
    output.note(
      `${output.errorStyle.yellow(`${finding.level}:`)} ${findingText(finding, context.directory)}`,
    );
  if (error !== undefined && !force) throw error;
}

async function noticeUncommitted(context: Context, { definition, origin }: Order): Promise<void> {
  const piton = await context.open();
  const count = await piton.uncommittedFiles(definition, origin.directory);
  if (count === 0) return;
  context.output.note(
    `${plural(count, 'file')} of this repository ${count === 1 ? 'is' : 'are'} not committed: tasks that work in worktrees do not see ${count === 1 ? 'it' : 'them'}.`,
  );
}

function sayWhat({ output }: Context, { definition }: Order, run: RunLine | string): void {
  const { name, tasks } = definition.workflow;
  output.print(
    typeof run === 'string'
      ? `Run ${run} of ${cleanLine(name)}: ${plural(tasks.length, 'task')}. Ctrl-C stops it, piton resume goes on.`
      : `Run ${run.run} is there already (${run.status}): attaching to it. Its inputs, and what is said of it, stay as they were.`,
  );
}

async function existingRun(context: Context, id: string): Promise<RunLine | undefined> {
  if (!context.project.hasStore()) return undefined;
  const onDamaged = (damage: PitonError): void => {
    if (damage.details['run'] === id) throw damage;
  };
  const found = await (await context.openExisting()).runs({ prefix: id, onDamaged });
  return found.find(({ run }) => run === id);
}

async function isDrivenElsewhere(context: Context, id: string): Promise<boolean> {
  const driver = await (await context.open()).driver(id);
  return driver?.alive === true && driver.pid !== process.pid;
}

async function watch(context: Context, { run, seq }: RunLine): Promise<ExitCode> {
  const piton = await context.open();
  const intro = `Run ${run} is there already, and is driven elsewhere: watching it. Ctrl-C ends the watching only.`;
  return conclude(
    context,
    await watchRun({ ...context, piton }, await piton.find(run), { head: seq, intro }),
  );
}

/** What is wrong with its inputs is better told here than in a log. */
async function startDetached(
  context: Context,
  run: string,
  { order: { definition, inputs }, options }: { readonly order: Order; readonly options: Options },
): Promise<ExitCode> {
  await context.project.checkInputs(definition, inputs);
  return detach(context, {
    run,
    begins: true,
    args: options.id === undefined ? ['--id', run] : [],
    ...(options.input === '-' && { input: JSON.stringify(inputs) }),
  });
}

function asList(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}
