import type { Capture, CommandWork, Dynamic } from '../../model/index.ts';
import { hasExpression, splitTemplate } from '../expressions/templates.ts';
import type { Finding, Path } from '../problems.ts';
import { quoteExpressions } from '../shell/quote-expressions.ts';
import type { CommandDraft, TaskDraft } from '../workflow-draft.ts';
import { checkCommand } from './check-command.ts';

export interface FinishedCommand {
  readonly work: CommandWork;
  readonly findings: readonly Finding[];
}

/** Fills in what the draft of a command leaves out, and takes the expressions out of its shell text. */
export function finishCommand(task: TaskDraft, draft: CommandDraft, at: Path): FinishedCommand {
  const { work, findings } = completeCommand(draft, captureFor(task.output), at);
  return { work, findings: [...checkCommand(task, draft, at), ...findings] };
}

export function completeCommand(draft: CommandDraft, capture: Capture, at: Path): FinishedCommand {
  const { env, run, findings } = separate(draft, at);
  const work: CommandWork = {
    type: 'command',
    run,
    shell: shellOf(draft),
    env,
    secrets: draft.secrets ?? [],
    ...(draft.inheritEnv === undefined ? {} : { inheritEnv: draft.inheritEnv }),
    ...(draft.workingDirectory === undefined ? {} : { workingDirectory: draft.workingDirectory }),
    capture: draft.capture ?? capture,
  };
  return { work, findings };
}

function shellOf({ run, shell = 'sh' }: CommandDraft): string {
  return typeof run === 'string' ? shell : 'sh';
}

type Separated = Pick<CommandWork, 'run' | 'env'> & { readonly findings: readonly Finding[] };

/** No expression stays in shell text. A program's arguments are rendered one by one, and seen by no shell. */
function separate(draft: CommandDraft, at: Path): Separated {
  const { run, env = {} } = draft;
  if (typeof run !== 'string' || !hasExpression(run) || run.includes('\0')) return { run, env, findings: [] };
  const template = splitTemplate(run);
  // That it cannot be taken apart is told where all templates are checked.
  if (template.fault !== undefined) return { run, env, findings: [] };
  const names = nameVariables(template.parts, env);
  const quoted = quoteExpressions(template, { shell: shellOf(draft), nameOf: (text) => names.get(text)! });
  const findings = quoted.refusals.map((refusal) => ({ at: [...at, 'run'], ...refusal }));
  const used = [...names].filter(([expression]) => quoted.used.has(expression));
  const added = used.map(([expression, name]) => [name, `\${{ ${expression} }}`] as const);
  return { run: quoted.text, env: { ...env, ...Object.fromEntries(added) }, findings };
}

/** The same expression is the same variable. Names that are taken are left to their owner. */
function nameVariables(
  parts: ReturnType<typeof splitTemplate>['parts'],
  env: Readonly<Record<string, Dynamic>>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  let number = 0;
  for (const part of parts) {
    if (!('expression' in part) || names.has(part.expression)) continue;
    do number++;
    while (Object.hasOwn(env, variableName(number)));
    names.set(part.expression, variableName(number));
  }
  return names;
}

function variableName(number: number): string {
  return `PITON_VALUE_${number}`;
}

function captureFor(output: TaskDraft['output']): Capture {
  return output === undefined || output['type'] === 'string' ? 'text' : 'json';
}
