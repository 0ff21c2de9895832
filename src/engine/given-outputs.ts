import { hasCode, type Json } from '../base/index.ts';
import type { RunState } from '../kernel/index.ts';
import type { InboxCommand, TaskSpec } from '../model/index.ts';
import { checkOutput } from './call-function.ts';
import type { Program } from './program.ts';

export interface OutputRules {
  readonly program: Pick<Program, 'compileSchema'>;
  readonly maxOutputBytes: number;
}

/** A command, and what is wrong with the output that it gives to a task. */
export interface AskedCommand {
  readonly command: InboxCommand;
  readonly outputProblem?: string;
}

export function withOutputProblems(
  state: RunState,
  commands: readonly InboxCommand[],
  rules: OutputRules,
): Promise<readonly AskedCommand[]> {
  const examine = async (asked: InboxCommand): Promise<AskedCommand> => {
    const { command } = asked;
    const spec = command.type === 'done' ? state.tasks.get(command.task)?.spec : undefined;
    if (command.type !== 'done' || spec === undefined) return { command: asked };
    const outputProblem = await problemOfOutput(spec, command.output, rules);
    return { command: asked, ...(outputProblem !== undefined && { outputProblem }) };
  };
  return Promise.all(commands.map(examine));
}

/** Undefined: it fits what the task says of its output. */
export async function problemOfOutput(
  spec: TaskSpec,
  output: Json | undefined,
  rules: OutputRules,
): Promise<string | undefined> {
  if (output === undefined && spec.output === undefined) return undefined;
  try {
    await checkOutput(output, spec, rules);
    return undefined;
  } catch (thrown) {
    if (!hasCode(thrown, 'OUTPUT_INVALID') && !hasCode(thrown, 'OUTPUT_TOO_LARGE')) throw thrown;
    const { message } = thrown as Error;
    const missing = `${spec.name} has to give an output, and none was given (--output): ${message}`;
    return (output === undefined ? missing : message).replace(/\.$/, '');
  }
}
