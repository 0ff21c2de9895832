import type { Json } from '../base/index.ts';
import type { TaskView } from '../kernel/index.ts';
import type { Variables } from '../model/index.ts';

/** Expressions see tasks with status, output and error; functions are given the outputs alone. */
export function needsOf(variables: Variables): Record<string, Json | undefined> {
  return outputsOf(variables['needs'] as Record<string, TaskView>);
}

export function taskOutputs(variables: Variables): Record<string, Json | undefined> {
  return outputsOf(variables['tasks'] as Record<string, TaskView>);
}

export function inputsOf(variables: Variables): unknown {
  return variables['inputs'];
}

export function stateOf(variables: Variables): unknown {
  return variables['state'];
}

function outputsOf(views: Readonly<Record<string, TaskView>>): Record<string, Json | undefined> {
  const outputs: Record<string, Json | undefined> = {};
  for (const name in views) outputs[name] = views[name]!.output;
  return outputs;
}
