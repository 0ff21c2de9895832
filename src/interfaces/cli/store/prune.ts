import { PitonError, plural, shellWord, someNames } from '../../../base/index.ts';
import { bytesText, type ChosenRun, type PruneOptions, type PruneReport } from '../../../library/index.ts';
import { pruneProject, retainDaily, retentionOf } from '../../../project/index.ts';
import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine, statusCell, whenText, type Cell } from '../output/index.ts';
import type { StoreOptions } from './options.ts';
import { assertWorkflow, limitsGiven, noLimit } from './prune-limits.ts';

type Given = Invocation<StoreOptions>;

/** `piton store prune`. */
export async function pruneStore(context: Context, { args, options }: Given): Promise<ExitCode> {
  assertNothingNamed(args);
  if (options.daily === true) return pruneDaily(context);
  const limits = limitsGiven(options, context.now()) ?? retentionOf(context.config, context.now());
  if (limits === undefined) throw noLimit();
  const piton = await context.openExisting();
  await assertWorkflow(piton, options);
  const isDry = options.dryRun === true;
  const report = await prune(context, { ...limits, dryRun: isDry, compactWhole: true });
  context.output.json({ dryRun: isDry, ...reportJson(report) });
  printReport(context, report, isDry);
  context.output.next(isDry && report.gone.length > 0 ? commandLine(options) : 'piton store info');
  return exitCodes.done;
}

/** Left unread, it would let somebody remove all old runs who meant one. */
function assertNothingNamed([, name]: readonly string[]): void {
  if (name === undefined) return;
  throw new PitonError('USAGE_INVALID', `piton store prune takes limits, no file and no run: ${name}.`, {
    remedy: 'Look at what would go: piton store prune --older-than 30d --dry-run',
  });
}

async function pruneDaily(context: Context): Promise<ExitCode> {
  const report = await retainDaily(context.config, context.now(), (limits) => prune(context, limits));
  context.output.json(report === undefined ? null : { dryRun: false, ...reportJson(report) });
  context.output.print(report === undefined ? 'There was nothing to do today.' : totalText(report, false));
  return exitCodes.done;
}

async function prune(context: Context, limits: PruneOptions): Promise<PruneReport> {
  return pruneProject(await context.openExisting(), context.config, limits);
}

function reportJson({ gone, ...rest }: PruneReport): object {
  return {
    ...rest,
    gone: gone.map(({ record: { run, workflow, status, updatedAt }, ...chosen }) => ({
      run,
      workflow,
      status,
      updatedAt,
      ...chosen,
    })),
  };
}

const head = ['RUN', 'WORKFLOW', 'STATUS', 'ENDED', 'SIZE', 'GOES', 'WHY'];

function printReport(context: Context, report: PruneReport, isDry: boolean): void {
  const { output } = context;
  if (report.gone.length > 0)
    output.table(
      report.gone.map((chosen) => rowOf(context, chosen)),
      { head },
    );
  for (const [reason, runs] of keptByReason(report)) output.print(cleanLine(`kept ${runs}: ${reason}`));
  output.print(totalText(report, isDry));
  if (report.space?.reason !== undefined)
    output.note(`${bytesText(report.space.freeBytes)} stay free inside of the file: ${report.space.reason}.`);
}

function rowOf({ output, now }: Context, { record, what, bytes, reason }: ChosenRun): (Cell | string)[] {
  const { run, workflow, status, updatedAt } = record;
  return [
    run,
    cleanLine(workflow),
    statusCell(status, output.style),
    whenText(updatedAt, now()),
    bytesText(bytes),
    what === 'run' ? 'all of it' : 'payloads',
    cleanLine(reason),
  ];
}

/** Hundreds may stay for one reason: --json names each. */
function keptByReason({ kept }: PruneReport): [string, string][] {
  const groups = Map.groupBy(kept, ({ reason }) => reason);
  return Array.from(groups, ([reason, runs]) => [reason, someNames(runs.map(({ run }) => run))]);
}

function totalText({ runs, gone, space, bytesBefore }: PruneReport, isDry: boolean): string {
  if (gone.length === 0) return isDry ? 'Nothing would go.' : `Nothing went${nowText(space?.bytes)}.`;
  const payloads = gone.length - runs;
  const parts = [
    ...(runs > 0 ? [plural(runs, 'run')] : []),
    ...(payloads > 0 ? [`the payloads of ${plural(payloads, runs > 0 ? 'other' : 'run')}`] : []),
  ];
  const bytes = gone.reduce((sum, chosen) => sum + chosen.bytes, 0);
  if (isDry) return `${parts.join(' and ')} would go: about ${bytesText(bytes)}.`;
  const before = bytesBefore === undefined ? '' : `, ${bytesText(bytesBefore)} before`;
  return `${parts.join(' and ')} removed${nowText(space?.bytes)}${before}.`;
}

function nowText(bytes: number | undefined): string {
  return bytes === undefined ? '' : `; the store takes ${bytesText(bytes)} now`;
}

/** What does the very things that were shown. */
function commandLine({ olderThan, keep, maxSize, workflow, status, payloads }: StoreOptions): string {
  const given = { 'older-than': olderThan, keep, 'max-size': maxSize, workflow, status };
  const words = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shellWord(value)}`],
  );
  return ['piton store prune', ...words, ...(payloads === true ? ['--payloads'] : [])].join(' ');
}
