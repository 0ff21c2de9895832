import { shellWord } from '../../../base/index.ts';
import type { Piton, RunView, TaskView } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { usageText } from '../conversation/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { nextLines, nextStep } from '../next-step.ts';
import {
  cleanLine,
  reasonLine,
  silenceText,
  spanText,
  statusCell,
  whenText,
  type Cell,
} from '../output/index.ts';
import { deliveredText } from '../progress/index.ts';
import { printQuestions } from '../questions.ts';
import { aboutLines } from '../settings/about-lines.ts';
import { attemptText, describeTask, underParents } from '../task-lines.ts';

interface Report {
  readonly view: RunView;
  readonly next: string | undefined;
  /** When the agents at work last printed anything, by task. */
  readonly lastOutput: ReadonlyMap<string, number>;
}

/** So many tasks are worth a line each; of more, those that have settled well are only counted. */
const mostTasks = 60;

export const command = defineCommand({
  configure: (command) =>
    command.argument('[run]', 'beginning of its id; default: the latest').option('--json', 'print JSON'),
  examples: [
    ['piton status', 'of the latest run'],
    ['piton status 4f2', 'of the run whose id begins so'],
    ['piton status --json', 'for programs'],
  ],
  async run(context, { args }) {
    const report = await readReport(context, args[0]);
    context.output.json(reportJson(report));
    if (!context.output.isJson) printReport(context, report);
    return exitCodes.done;
  },
});

async function readReport(context: Context, given: string | undefined): Promise<Report> {
  const piton = await context.openExisting();
  const { run } = await piton.findRecord(given);
  const view = await (await piton.find(run)).view();
  return { view, next: nextStep(view), lastOutput: await lastOutputs(piton, view) };
}

async function lastOutputs(piton: Piton, { tasks }: RunView): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const [address, { agent, attempt }] of Object.entries(tasks)) {
    if (agent === undefined || attempt === undefined) continue;
    const at = await piton.lastOutputAt(attempt);
    if (at !== undefined) found.set(address, at);
  }
  return found;
}

function reportJson({ view, next, lastOutput }: Report): unknown {
  const tasks = Object.entries(view.tasks).map(([address, task]) => [
    address,
    { ...task, lastOutputAt: lastOutput.get(address) },
  ]);
  return { ...view, tasks: Object.fromEntries(tasks), ...(next !== undefined && { next }) };
}

function printReport(context: Context, report: Report): void {
  const { output } = context;
  const { view } = report;
  const { run, status, progress, usage, problem, reason, delivered } = view;
  const { text, paint = String } = statusCell(status, output.style);
  output.print(`${output.style.bold(run)}  ${cleanLine(view.workflow)}  ${paint(text)}`);
  output.print(
    `${progress.done} of ${progress.total} tasks settled (${progress.percent} %), ${timesOf(context, view)}`,
  );
  for (const line of aboutLines(view, { style: output.style, now: context.now() })) output.print(line);
  if (usage !== undefined) output.print(`agents used ${usageText(usage)}`);
  if (problem !== undefined) output.print(cleanLine(problem.message));
  if (view.repaired !== undefined) output.print(repairedText(context, view.repaired));
  const driver = driverText(context, view);
  if (driver !== undefined) output.print(driver);
  if (reason !== undefined) output.print(reasonLine(reason));
  if (delivered !== undefined) output.print(cleanLine(deliveredText(delivered)));
  printQueued(context, view);
  output.print();
  printTasks(context, report);
  // What is asked there may have been answered since.
  if (problem === undefined) printQuestions(context, run, view.tasks);
  output.print();
  output.next(...nextLines(view, `piton history ${shellWord(run)}`));
}

function repairedText({ output, now }: Context, { at, lostTo }: NonNullable<RunView['repaired']>): string {
  const text = `! repaired ${whenText(at, now())}: its journal was damaged, and what it had up to commit ${lostTo} is lost`;
  return output.style.yellow(text);
}

function printQueued({ output }: Context, { queued = [] }: RunView): void {
  for (const { action, task = '' } of queued)
    output.print(`has no effect until the run goes on: ${cleanLine(`${action} ${task}`).trim()}`);
}

/** What is made of a run after its end, such as merging its work, took it no longer. */
function timesOf({ now }: Context, { createdAt, at, status, tasks }: RunView): string {
  const isOver = ['succeeded', 'failed', 'cancelled'].includes(status);
  const started = `started ${whenText(createdAt, now())}`;
  const end = Object.values(tasks).reduce((last, { endedAt = 0 }) => Math.max(last, endedAt), 0);
  return isOver ? `${started}, took ${spanText((end || at) - createdAt)}` : started;
}

function driverText({ now }: Context, { driver, status }: RunView): string | undefined {
  if (driver === undefined) return status === 'interrupted' ? 'nobody drives it' : undefined;
  const who = `process ${driver.pid} on ${driver.host}`;
  if (!driver.alive) return `${who} drove it, and has died`;
  const since = `driven by ${who} since ${whenText(driver.since, now())}`;
  return driver.stopped ? `${since}, which was stopped (Ctrl-Z)` : since;
}

function printTasks({ output, now }: Context, { view, lastOutput }: Report): void {
  const all = Object.entries(view.tasks);
  const chosen = all.length <= mostTasks ? all : all.filter(([, task]) => !isQuiet(task)).slice(0, mostTasks);
  const shown = underParents(chosen);
  output.table(
    shown.map(([address, task]): (Cell | string)[] => [
      address,
      statusCell(task.status, output.style),
      attemptText(task),
      durationOf(task, now()),
      task.usage === undefined ? '' : usageText(task.usage),
      describeTask(task, now(), silenceText(lastOutput.get(address), now())),
    ]),
  );
  if (shown.length < all.length) output.print(`… and ${all.length - shown.length} more (--json shows all)`);
}

function isQuiet({ status }: TaskView): boolean {
  return status === 'succeeded' || status === 'pending' || status === 'skipped';
}

function durationOf({ startedAt, endedAt, status }: TaskView, now: number): string {
  if (startedAt === undefined) return '';
  const end = endedAt ?? (status === 'running' ? now : undefined);
  return end === undefined ? '' : spanText(end - startedAt);
}
