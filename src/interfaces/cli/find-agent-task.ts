import { PitonError } from '../../base/index.ts';
import type { Piton, TaskView } from '../../library/index.ts';
import type { TaskSpec, Workflow } from '../../model/index.ts';
import { findTask } from './find-task.ts';

/** A task of a run that is done by an agent, and is one by itself. Throws `TASK_UNKNOWN`, `USAGE_INVALID`. */
export async function findAgentTask(piton: Piton, run: string, address: string): Promise<TaskView> {
  const checkpoint = await (await piton.find(run)).checkpoint();
  const task = findTask(checkpoint, address);
  const { definition } = await piton.definitionOf(run);
  const spec = specAt(definition.workflow, address);
  if (spec?.work.type !== 'agent') throw notAnAgent(run, address);
  const items = Object.keys(checkpoint.tasks).filter((other) => other.startsWith(`${address}[`));
  if (spec.forEach !== undefined && !address.endsWith(']')) throw ofSeveral(address, items);
  return task;
}

/** One step of an address: a name, and perhaps the key of an item or the number of a visit. */
const step = /^([^.[#]+)(?:\[[^\]]*\])?(?:#\d+)?(?:\.|$)/;

function specAt({ tasks }: Workflow, address: string): TaskSpec | undefined {
  const [whole = '', name] = step.exec(address) ?? [];
  const spec = tasks.find((task) => task.name === name);
  const rest = address.slice(whole.length);
  if (rest === '') return spec;
  return spec?.work.type === 'workflow' ? specAt(spec.work.workflow, rest) : undefined;
}

function notAnAgent(run: string, task: string): PitonError {
  return new PitonError('USAGE_INVALID', `${task} is not done by an agent: there is nobody to talk to.`, {
    run,
    task,
    remedy: 'Name a task that has a prompt.',
  });
}

function ofSeveral(task: string, items: readonly string[]): PitonError {
  return new PitonError('USAGE_INVALID', `${task} has a conversation for each of its items.`, {
    task,
    remedy:
      items.length === 0 ? 'They have not begun yet.' : `Name one of them: ${items.slice(0, 10).join(', ')}.`,
  });
}
