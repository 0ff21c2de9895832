import type { TaskReport } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { usageText, type Usage } from '../conversation/index.ts';
import { commandsFor } from '../next-step.ts';
import { cleanLine, cleanText, clockText, spanText, statusCell, whenText } from '../output/index.ts';
import { commandFor } from '../progress/index.ts';
import type { AttemptReport } from './attempts-of.ts';

export interface ShownTask {
  readonly run: string;
  readonly address: string;
  readonly task: TaskReport;
  readonly attempts: readonly AttemptReport[];
  readonly usage: Usage | undefined;
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
      cleanLine([attempt.agent, attempt.session].filter((part) => part !== undefined).join(' ')),
      attempt.spool ?? '',
    ]),
    {
      head: columnsOf(attempts),
      flexible: 5,
    },
  );
}

/** A column in which nothing stands should not have a head either. */
function columnsOf(attempts: readonly AttemptReport[]): string[] {
  const isByAgent = attempts.some(({ agent }) => agent !== undefined);
  const agent = isByAgent ? 'agent and session' : '';
  return ['attempt', 'started', 'took', 'outcome', 'recovered', 'reason', agent, 'wrote to'];
}
