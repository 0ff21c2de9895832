import { untestedText } from '../../../project/index.ts';
import type { CheckView, DecisionView, TaskView } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { usageText } from '../conversation/index.ts';
import { commandsFor } from '../next-step.ts';
import { cleanLine, cleanText, clockText, spanText, statusCell, whenText } from '../output/index.ts';
import { cleanedText, runBranchOf } from '../progress/index.ts';
import { commandFor } from '../command-for.ts';
import { printCall } from '../questions.ts';
import { senderText } from '../sender-text.ts';
import { isIntegrating, isOpen, timesText } from '../task-lines.ts';
import type { KeptAttempt, TaskDetail } from './task-detail.ts';
import { waitingText } from './waiting-text.ts';

export interface ShownTask extends TaskDetail {
  readonly run: string;
  readonly task: string;
  readonly view: TaskView;
}

/** Everything that is known about one task. */
export function printTask(context: Context, shown: ShownTask): void {
  const { output, now } = context;
  const { run, task: address, view, attempts } = shown;
  const { text, paint = String } = statusCell(view.status, output.style);
  output.print(`${output.style.bold(address)}  ${paint(text)}`);
  const used: Fact = ['used', view.usage && usageText(view.usage)];
  for (const [name, value] of [...factsOf(view, now()), used, ...shown.decisions.map(decisionFact)]) {
    if (value !== undefined) output.print(`${output.style.dim(`${name}:`)} ${cleanText(value)}`);
  }
  if (view.call !== undefined) printCall(output, view.call, true);
  for (const report of shown.checks) printReport(context, report);
  if (attempts.length > 0) printAttempts(context, attempts);
  printPlaces(context, shown);
  output.print();
  const [first = commandFor('logs', run, address), ...others] = commandsFor(run, address, view);
  output.next(first, ...others);
}

function decisionFact({ at, approved, by }: DecisionView): Fact {
  const who = by === undefined ? 'a person' : senderText(by);
  return ['decided', `${approved ? 'approved' : 'rejected'} at ${clockText(at)} by ${who}`];
}

type Fact = [name: string, value: string | undefined];

function factsOf(task: TaskView, now: number): Fact[] {
  const { needs, waiting, reason, until, error, output } = task;
  return [
    ['needs', needs.length === 0 ? undefined : needs.join(', ')],
    ['waits for', waiting && waitingText(waiting)],
    ...conversationFacts(task),
    ...placeFacts(task),
    ['reason', reason],
    ['tries again', until === undefined ? undefined : whenText(until, now)],
    ['error', error && `${error.message} (${error.code})`],
    ['exit code', error?.exit?.toString()],
    ['output', output === undefined ? undefined : outputText(output)],
  ];
}

function conversationFacts({ session, cli, stage, ...task }: TaskView): Fact[] {
  const { revisions, messages = [] } = task;
  return [
    ['session', session && `${session.id} of ${session.agent}`],
    ['program', cli && (untestedText(cli.agent, cli.version) ?? `${cli.agent} ${cli.version}`)],
    ['now', isOpen(task.status) ? standingOf(task.status, stage) : undefined],
    ['revised', revisions === undefined || revisions === 0 ? undefined : timesText(revisions)],
    ...messages.map((text): Fact => ['told, and not heard yet', text]),
  ];
}

function standingOf(status: TaskView['status'], stage: TaskView['stage']): string | undefined {
  if (stage === 'check') return 'its check runs, or is still to run';
  const isInTheWay = status !== 'held' && isIntegrating(stage);
  return isInTheWay ? 'its work is being brought to that of others, or is still to be' : undefined;
}

function placeFacts({ workspace }: TaskView): Fact[] {
  if (workspace === undefined) return [];
  const { path, remote, branch = '', base, integrated, cleaned } = workspace;
  const { result, commit } = integrated ?? {};
  const where = remote === undefined ? path : `${remote}:${path}`;
  return [
    ['place', cleaned === undefined ? where : `${where} (it ${cleanedText(cleaned)})`],
    ['branch', branch === '' ? undefined : `${branch.replace('refs/heads/', '')}, from ${base}`],
    ['result', result && `${result}, in ${runBranchOf(branch)} by ${commit}`],
  ];
}

/** The end of a report is where most programs say what was wrong. */
const longestReport = 30;

function printReport({ output }: Context, { at, revision, report }: CheckView): void {
  const next = revision === 0 ? 'the last one' : `revision ${revision} follows`;
  output.print();
  output.print(output.style.dim(`check failed at ${clockText(at)} (${next}):`));
  const lines = cleanText(report).trimEnd().split('\n');
  const left = Math.max(lines.length - longestReport, 0);
  if (left > 0) output.print(output.style.dim(`  … ${left} lines before that (--json has all)`));
  for (const line of lines.slice(left)) output.print(`  ${line}`);
}

function outputText(value: unknown): string {
  if (typeof value === 'string') return value.includes('\n') ? `\n${value}` : value;
  return JSON.stringify(value, null, 2);
}

function printAttempts({ output, now }: Context, attempts: readonly KeptAttempt[]): void {
  const rows = attempts.map((attempt) => [
    String(attempt.number),
    attempt.kind,
    clockText(attempt.startedAt),
    spanText((attempt.endedAt ?? now()) - attempt.startedAt),
    attempt.outcome ?? 'not ended',
    attempt.recovered?.join(', ') ?? '',
    cleanLine(attempt.agent ?? ''),
    cleanLine(attempt.sandbox ?? ''),
    cleanText(attempt.reason ?? ''),
  ]);
  // Where all is work, that says nothing.
  const isPlain = attempts.every(({ kind }) => kind === 'work');
  const shown = rows.map((row) => row.with(1, isPlain ? '' : row[1]!));
  output.print();
  output.table(shown, { head: headOf(shown) });
}

const columns = ['attempt', 'kind', 'started', 'took', 'outcome', 'recovered', 'agent', 'sandbox', 'reason'];

/** A column in which nothing stands should not have a head either. */
function headOf(rows: readonly (readonly string[])[]): string[] {
  return columns.map((name, index) => (rows.some((row) => row[index] !== '') ? name : ''));
}

/** In lines of their own: too long for a table, and to be copied. */
function printPlaces({ output }: Context, { attempts, view }: ShownTask): void {
  const places = attempts.flatMap(({ number, session, spool }) => [
    ...(session === undefined || session === view.session?.id
      ? []
      : [`attempt ${number} was in session ${session}`]),
    ...(spool === undefined ? [] : [`attempt ${number} wrote to ${spool}`]),
  ]);
  if (places.length > 0) output.print();
  for (const place of places) output.print(output.style.dim(cleanLine(place)));
}
