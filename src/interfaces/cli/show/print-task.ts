import type { TaskReport } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { usageText, type Usage } from '../conversation/index.ts';
import { commandsFor } from '../next-step.ts';
import { cleanLine, cleanText, clockText, spanText, statusCell, whenText } from '../output/index.ts';
import { commandFor } from '../progress/index.ts';
import { printCall } from '../questions.ts';
import { timesText } from '../task-lines.ts';
import type { AttemptReport, CheckReport } from './attempts-of.ts';

export interface ShownTask {
  readonly run: string;
  readonly address: string;
  readonly task: TaskReport;
  readonly attempts: readonly AttemptReport[];
  readonly usage: Usage | undefined;
  readonly reports: readonly CheckReport[];
}

/** Everything that is known about one task. */
export function printTask(context: Context, shown: ShownTask): void {
  const { output, now } = context;
  const { run, address, task, attempts } = shown;
  const { text, paint = String } = statusCell(task.status, output.style);
  output.print(`${output.style.bold(address)}  ${paint(text)}`);
  const used: Fact = ['used', shown.usage && usageText(shown.usage)];
  for (const [name, value] of [...factsOf(task, now()), used]) {
    if (value !== undefined) output.print(`${output.style.dim(`${name}:`)} ${cleanText(value)}`);
  }
  if (task.call !== undefined) printCall(output, task.call, true);
  for (const report of shown.reports) printReport(context, report);
  if (attempts.length > 0) printAttempts(context, attempts);
  output.print();
  const [first = commandFor('logs', run, address), ...others] = commandsFor(run, address, task);
  output.next(first, ...others);
}

type Fact = [name: string, value: string | undefined];

function factsOf(task: TaskReport, now: number): Fact[] {
  const { needs, reason, until, error, output } = task;
  return [
    ['needs', needs.length === 0 ? undefined : needs.join(', ')],
    ...conversationFacts(task),
    ['reason', reason],
    ['tries again', until === undefined ? undefined : whenText(until, now)],
    ['error', error && `${error.message} (${error.code})`],
    ['exit code', error?.exit?.toString()],
    ['output', output === undefined ? undefined : outputText(output)],
  ];
}

function conversationFacts({ session, checking, revisions, messages = [] }: TaskReport): Fact[] {
  return [
    ['session', session && `${session.id} of ${session.agent}`],
    ['now', checking === true ? 'its check runs, or is still to run' : undefined],
    ['revised', revisions === undefined ? undefined : timesText(revisions)],
    ...messages.map((text): Fact => ['told, and not heard yet', text]),
  ];
}

/** The end of a report is where most programs say what was wrong. */
const longestReport = 30;

function printReport({ output }: Context, { at, revision, report }: CheckReport): void {
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

function printAttempts({ output, now }: Context, attempts: readonly AttemptReport[]): void {
  const isPlain = attempts.every(({ kind }) => kind === 'work');
  output.print();
  output.table(
    attempts.map((attempt) => [
      String(attempt.number),
      isPlain ? '' : attempt.kind,
      clockText(attempt.startedAt),
      spanText((attempt.endedAt ?? now()) - attempt.startedAt),
      attempt.outcome ?? 'not ended',
      attempt.recovered?.join(', ') ?? '',
      cleanText(attempt.reason ?? ''),
      cleanLine([attempt.agent, attempt.session].filter((part) => part !== undefined).join(' ')),
      attempt.spool ?? '',
    ]),
    {
      head: columnsOf(attempts),
      flexible: 6,
    },
  );
}

/** A column in which nothing stands should not have a head either. */
function columnsOf(attempts: readonly AttemptReport[]): string[] {
  const isByAgent = attempts.some(({ agent }) => agent !== undefined);
  const agent = isByAgent ? 'agent and session' : '';
  const kind = attempts.every((attempt) => attempt.kind === 'work') ? '' : 'kind';
  return ['attempt', kind, 'started', 'took', 'outcome', 'recovered', 'reason', agent, 'wrote to'];
}
