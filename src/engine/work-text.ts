import { isPlainObject, type Json } from '../base/index.ts';
import { finishedOf, type TaskState } from '../kernel/index.ts';
import type { TaskSpec } from '../model/index.ts';
import type { WorkText } from '../workspaces/index.ts';
import type { Redact } from './redact.ts';

/** What a commit or a pull request tells of the work of a task. The same from the same journal. */
export function workTextOf(task: TaskState, redact: Redact): WorkText {
  const { spec, stage, life } = task;
  const output = life.status === 'succeeded' ? life.output : finishedOf(stage)?.output;
  const summary = spec.work.type === 'agent' && output !== undefined ? summaryIn(output) : undefined;
  const purpose = purposeOf(spec);
  return {
    ...(summary !== undefined && { summary: redact(summary) }),
    ...(purpose !== undefined && { purpose: redact(purpose) }),
  };
}

/** The last words of an agent; of an output with fields, those that are meant for people. */
function summaryIn(output: Json): string | undefined {
  if (typeof output === 'string') return output;
  if (!isPlainObject(output)) return undefined;
  const fields = ['title', 'summary', 'description', 'message'].map((name) => output[name]);
  const [title, ...texts] = fields.map((text) =>
    typeof text === 'string' && text.trim() !== '' ? text : undefined,
  );
  const summary = texts.find((text) => text !== undefined);
  return title === undefined || summary === undefined ? (title ?? summary) : `${title}\n\n${summary}`;
}

/** What holds values that are known only later says nothing. */
function purposeOf({ work }: TaskSpec): string | undefined {
  const text =
    work.type === 'agent' ? work.prompt : work.type === 'command' ? commandText(work.run) : undefined;
  const line = text?.split('\n').find((one) => one.trim() !== '');
  return line === undefined || /\$\{\{|PITON_VALUE_/.test(line) ? undefined : line;
}

function commandText(run: string | readonly string[]): string {
  return typeof run === 'string' ? run : run.join(' ');
}
