import type { Finding } from '../problems.ts';
import { taskPath, type Scope } from './scope.ts';
import type { TaskDraft } from '../workflow-draft.ts';

const namePattern = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const nameRule = 'A name begins with a letter or `_` and goes on with letters, digits, `_` and `-`.';

/** What expressions see anyway, and words that CEL keeps for itself: no loop variable can be called so. */
const takenVariables: ReadonlySet<string> = new Set(
  (
    'inputs tasks needs run state output error key index ' +
    'int uint double string bool bytes list map type null_type dyn optional cel google in true false null ' +
    'as break const continue else for function if import let loop package namespace return var void while ' +
    '__proto__ prototype constructor'
  ).split(' '),
);

export function checkNames(scope: Scope): Finding[] {
  const { draft, at } = scope;
  return [
    ...(draft.name.trim() === '' ? [{ at: [...at, 'name'], message: 'The workflow has no name.' }] : []),
    ...Object.keys(draft.inputs ?? {})
      .filter((name) => !isName(name))
      .map((name) => badName([...at, 'inputs', name], 'an input', name)),
    ...(Object.hasOwn(draft.graph?.state ?? {}, 'constructor')
      ? [badName([...at, 'state', 'constructor'], 'a field', 'constructor')]
      : []),
    ...draft.tasks.flatMap((task, position) => checkTaskName(scope, task, position)),
    ...draft.tasks.flatMap((task) => checkVariable(scope, task)),
  ];
}

function checkTaskName(scope: Scope, task: TaskDraft, position: number): Finding[] {
  const at = taskPath(scope, task);
  if (!isName(task.name)) return [badName(at, 'a task', task.name)];
  if (scope.positions.get(task.name) !== position) {
    return [{ at, onKey: true, message: `There are two tasks called \`${task.name}\`.` }];
  }
  if (scope.form === 'graph' && task.name === 'end') {
    const remedy = 'Give the node another name.';
    return [{ at, onKey: true, message: 'In a graph, `end` is where a run ends, not a node.', remedy }];
  }
  return [];
}

/**
 * `__proto__` would be a trap wherever names are keys of an object. CEL asks every object for its `constructor`, and
 * cannot read one that has a field of that name.
 */
const unusableNames: ReadonlySet<string> = new Set(['__proto__', 'constructor']);

function isName(name: string): boolean {
  return namePattern.test(name) && !unusableNames.has(name);
}

function badName(at: Finding['at'], what: string, name: string): Finding {
  const remedy = unusableNames.has(name) ? 'Expressions could not read it: choose another.' : nameRule;
  return { at, onKey: true, message: `\`${name}\` cannot be the name of ${what}.`, remedy };
}

function checkVariable(scope: Scope, task: TaskDraft): Finding[] {
  const name = task.forEach?.as;
  if (name === undefined) return [];
  const at = [...taskPath(scope, task), 'for-each', 'as'];
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    const remedy = 'Use letters, digits and `_`.';
    return [{ at, message: `\`${name}\` cannot be the name of a variable.`, remedy }];
  }
  if (!takenVariables.has(name)) return [];
  return [{ at, message: `\`${name}\` already means something in expressions.`, remedy: 'Choose another.' }];
}
