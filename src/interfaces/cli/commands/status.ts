import type { PitonError } from '../../../base/index.ts';
import type { Checkpoint, DriverReport, Piton, TaskReport } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { triesIn, type Tries } from '../count-tries.ts';
import { usageText, type Usage, type UsageTally } from '../conversation/index.ts';
import { readHistory } from '../drive/read-history.ts';
import { exitCodes } from '../exit-codes.ts';
import { nextStep } from '../next-step.ts';
import {
  cleanLine,
  silenceText,
  spanText,
  statusCell,
  whenText,
  type Cell,
  type ShownStatus,
} from '../output/index.ts';
import { deliveredText } from '../progress/index.ts';
import { progressOf, type Progress } from '../progress-of.ts';
import { printQuestions } from '../questions.ts';
import { errorJson, messageOf } from '../report-error.ts';
import { findRecord, statusWith, type RunRecord } from '../runs.ts';
import { describeTask, triesText } from '../task-lines.ts';
import { usageOf } from '../usage-of.ts';

interface Report {
  readonly record: RunRecord;
  readonly status: ShownStatus;
  /** Why what is shown is out of date, if it is. */
  readonly behind: PitonError | undefined;
  readonly driver: DriverReport | undefined;
  readonly checkpoint: Checkpoint;
  readonly progress: Progress;
  readonly next: string | undefined;
  /** Of agents. */
  readonly usage: UsageTally;
  readonly tries: Tries;
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
  const record = await findRecord(piton, given);
  const run = await piton.find(record.run);
  const checkpoint = await run.checkpoint();
  const behind = await piton.findLostEnd(record);
  const status = await statusWith(piton, record, behind);
  const { done, total } = checkpoint.progress;
  return {
    record,
    status,
    behind,
    checkpoint,
    driver: await piton.driver(record.run),
    progress: progressOf({ settled: done, total }),
    next: nextStep(checkpoint, status),
    usage: await usageOf(readHistory(run, checkpoint.seq)),
    tries: await triesIn(run, checkpoint),
    lastOutput: lastOutputs(piton, checkpoint),
  };
}

function lastOutputs(piton: Piton, { tasks }: Checkpoint): ReadonlyMap<string, number> {
  const found = Object.entries(tasks).map(([address, { agent, attempt }]) => {
    const at = agent === undefined || attempt === undefined ? undefined : piton.lastOutputAt(attempt);
    return [address, at] as const;
  });
  return new Map(found.filter((entry): entry is [string, number] => entry[1] !== undefined));
}

/** The stable shape of `status --json`. */
function reportJson({
  record,
  status,
  behind,
  driver,
  checkpoint,
  progress,
  next,
  usage,
  lastOutput,
}: Report): unknown {
  const tasks = Object.entries(checkpoint.tasks).map(([address, task]) => [
    address,
    { ...taskJson(task), usage: usage.ofTask(address), lastOutputAt: lastOutput.get(address) },
  ]);
  return {
    run: record.run,
    workflow: record.workflow,
    status,
    ...(behind !== undefined && { behind: errorJson(behind) }),
    driver: driver === undefined ? null : driverJson(driver),
    progress,
    tasks: Object.fromEntries(tasks),
    usage: usage.total(),
    ...(record.reason !== undefined && { reason: record.reason }),
    ...(next !== undefined && { next }),
  };
}

function driverJson({ alive, host, pid, since }: DriverReport): unknown {
  return { alive, host, pid, since };
}

function taskJson({
  status,
  attempts,
  startedAt,
  endedAt,
  output,
  error,
  until,
  ...rest
}: TaskReport): object {
  const { reason, actions, gate, call, session, cli, messages, checking, revisions } = rest;
  return {
    status,
    attempts,
    startedAt,
    endedAt,
    output,
    error,
    ...(status === 'held' ? { hold: { reason, actions, gate, call } } : { reason }),
    until,
    session,
    cli,
    messages,
    checking,
    revisions,
  };
}

function printReport(context: Context, report: Report): void {
  const { output } = context;
  const { record, status, progress, next } = report;
  const { text, paint = String } = statusCell(status, output.style);
  output.print(`${output.style.bold(record.run)}  ${cleanLine(record.workflow)}  ${paint(text)}`);
  output.print(
    `${progress.settled} of ${progress.total} tasks settled (${progress.percent} %), ${timesOf(context, report)}`,
  );
  const used = report.usage.total();
  if (used !== undefined) output.print(`agents used ${usageText(used)}`);
  if (report.behind !== undefined) output.print(cleanLine(messageOf(report.behind)));
  const driver = driverText(context, report);
  if (driver !== undefined) output.print(driver);
  if (record.reason !== undefined) output.print(cleanLine(record.reason));
  const { delivered } = report.checkpoint;
  if (delivered !== undefined) output.print(cleanLine(deliveredText(delivered)));
  output.print();
  printTasks(context, report);
  // What is asked there may have been answered since.
  if (report.behind === undefined) printQuestions(output, record.run, report.checkpoint.tasks);
  output.print();
  output.next(next ?? `piton history ${record.run}`);
}

function timesOf({ now }: Context, { record, status }: Report): string {
  const isOver = ['succeeded', 'failed', 'cancelled'].includes(status);
  const started = `started ${whenText(record.createdAt, now())}`;
  return isOver ? `${started}, took ${spanText(record.updatedAt - record.createdAt)}` : started;
}

function driverText({ now }: Context, { driver, status }: Report): string | undefined {
  if (driver === undefined) return status === 'interrupted' ? 'nobody drives it' : undefined;
  const who = `process ${driver.pid} on ${driver.host}`;
  if (!driver.alive) return `${who} drove it, and has died`;
  const since = `driven by ${who} since ${whenText(driver.since, now())}`;
  return driver.stopped ? `${since}, which was stopped (Ctrl-Z)` : since;
}

function printTasks({ output, now }: Context, { checkpoint, usage, tries, lastOutput }: Report): void {
  const all = Object.entries(checkpoint.tasks);
  const shown = all.length <= mostTasks ? all : all.filter(([, task]) => !isQuiet(task)).slice(0, mostTasks);
  output.table(
    shown.map(([address, task]): (Cell | string)[] => [
      address,
      statusCell(task.status, output.style),
      triesText(tries.get(address)),
      durationOf(task, now()),
      usageCell(usage.ofTask(address)),
      describeTask(task, now(), silenceText(lastOutput.get(address), now())),
    ]),
  );
  if (shown.length < all.length) output.print(`… and ${all.length - shown.length} more (--json shows all)`);
}

function usageCell(usage: Usage | undefined): string {
  return usage === undefined ? '' : usageText(usage);
}

function isQuiet({ status }: TaskReport): boolean {
  return status === 'succeeded' || status === 'pending' || status === 'skipped';
}

function durationOf({ startedAt, endedAt, status }: TaskReport, now: number): string {
  if (startedAt === undefined) return '';
  const end = endedAt ?? (status === 'running' ? now : undefined);
  return end === undefined ? '' : spanText(end - startedAt);
}
