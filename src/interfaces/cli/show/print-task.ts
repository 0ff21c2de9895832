import type { TaskReport } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { commandsFor } from '../next-step.ts';
import { cleanText, clockText, spanText, statusCell, whenText } from '../output/index.ts';
import { commandFor } from '../progress/index.ts';
import type { AttemptReport } from './attempts-of.ts';

export interface ShownTask {
  readonly run: string;
  readonly address: string;
  readonly task: TaskReport;
  readonly attempts: readonly AttemptReport[];
}

/** Everything that is known about one task. */
export function printTask(context: Context, shown: ShownTask): void {
  const { output, now } = context;
  const { run, address, task, attempts } = shown;
  const { text, paint = String } = statusCell(task.status, output.style);
  output.print(`${output.style.bold(address)}  ${paint(text)}`);
  for (const [name, value] of factsOf(task, now())) {
    if (value !== undefined) output.print(`${output.style.dim(`${name}:`)} ${cleanText(value)}`);
  }
  if (attempts.length > 0) printAttempts(context, attempts);
  output.print();
  const [first = commandFor('logs', run, address), ...others] = commandsFor(run, address, task);
  output.next(first, ...others);
}

function factsOf(task: TaskReport, now: number): [string, string | undefined][] {
  const { needs, reason, until, error, output } = task;
  return [
    ['needs', needs.length === 0 ? undefined : needs.join(', ')],
    ['reason', reason],
    ['tries again', until === undefined ? undefined : whenText(until, now)],
    ['error', error && `${error.message} (${error.code})`],
    ['exit code', error?.exit?.toString()],
    ['output', output === undefined ? undefined : outputText(output)],
  ];
}

function outputText(value: unknown): string {
  if (typeof value === 'string') return value.includes('\n') ? `\n${value}` : value;
  return JSON.stringify(value, null, 2);
}

function printAttempts({ output, now }: Context, attempts: readonly AttemptReport[]): void {
  output.print();
  output.table(
    attempts.map((attempt) => [
      String(attempt.number),
      clockText(attempt.startedAt),
      spanText((attempt.endedAt ?? now()) - attempt.startedAt),
      attempt.outcome ?? 'not ended',
      attempt.recovered?.join(', ') ?? '',
      cleanText(attempt.reason ?? ''),
      attempt.spool ?? '',
    ]),
    { head: ['attempt', 'started', 'took', 'outcome', 'recovered', 'reason', 'wrote to'], flexible: 5 },
  );
}
