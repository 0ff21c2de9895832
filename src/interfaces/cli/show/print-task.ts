import { shellWord } from '../../../base/index.ts';
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
import { questionLine } from '../answers/question-text.ts';
import { isIntegrating, isOpen, jsonLine, timesText } from '../task-lines.ts';
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
  printStack(context, view);
  if (view.call !== undefined) printCall(output, view.call, true);
  for (const report of shown.checks) printReport(context, report);
  if (attempts.length > 0) printAttempts(context, attempts);
  printPlaces(context, shown);
  output.print();
  const [first = `piton status ${shellWord(run)}`, ...others] = nextFor(shown);
  output.next(first, ...others);
}

/** What was never begun, such as a gate that was rejected, has printed nothing. */
function nextFor({ run, task: address, view, attempts }: ShownTask): string[] {
  const decisions = commandsFor(run, address, view);
  if (decisions.length > 0) return decisions;
  return [
    ...(attempts.length > 0 ? [commandFor('logs', run, address)] : []),
    ...(view.status === 'failed' ? [commandFor('retry', run, address)] : []),
  ];
}

/** Its first line repeats the message. */
function printStack({ output }: Context, { error }: TaskView): void {
  const [, ...frames] = cleanText(error?.stack ?? '').split('\n');
  for (const frame of frames) output.print(output.style.dim(frame));
}

function decisionFact({ at, comment, by, ...decided }: DecisionView): Fact {
  const what = decisionText(decided);
  if (decided.isOverdue === true) return ['decided', `${what} at ${clockText(at)}: nobody answered in time`];
  const who = by === undefined ? 'a person' : senderText(by);
  return ['decided', `${what} at ${clockText(at)} by ${who}${comment === undefined ? '' : `: ${comment}`}`];
}

function decisionText({
  decision,
  answer,
  isOverdue,
}: Pick<DecisionView, 'decision' | 'answer' | 'isOverdue'>): string {
  if (decision === 'done') return 'marked as done';
  if (answer === undefined) return decision;
  return isOverdue === true ? `took its default, ${jsonLine(answer)},` : `answered ${jsonLine(answer)}`;
}

type Fact = [name: string, value: string | undefined];

function factsOf(task: TaskView, now: number): Fact[] {
  const { needs, waiting, reason, question, until, error, output } = task;
  return [
    ['needs', needs.length === 0 ? undefined : needs.join(', ')],
    ['waits for', waiting && waitingText(waiting)],
    ...conversationFacts(task),
    ...placeFacts(task),
    [question === undefined ? 'reason' : 'asks', reason],
    ['answer', question && questionLine(question, now)],
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
  // Nothing goes on before a person has decided; the reason says what about.
  if (status === 'held') return undefined;
  if (stage === 'check') return 'its check runs, or is still to run';
  return isIntegrating(stage) ? 'its work is being brought to that of others, or is still to be' : undefined;
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

function printReport({ output }: Context, { at, revision, isHeld, report }: CheckView): void {
  const isLast = revision === 0 || isHeld === true;
  const next = isLast ? 'no revision follows' : `revision ${revision} follows`;
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
  const places = attempts.flatMap(({ number, kind, session, spool }) => {
    const name = kind === 'work' ? `attempt ${number}` : `attempt ${number} (${kind})`;
    return [
      ...(session === undefined || session === view.session?.id ? [] : [`${name} was in session ${session}`]),
      ...(spool === undefined ? [] : [`${name} wrote to ${spool}`]),
    ];
  });
  if (places.length > 0) output.print();
  for (const place of places) output.print(output.style.dim(cleanLine(place)));
}
