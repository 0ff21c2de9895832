import { knownAgents, traitsOf } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { AgentDraft, TaskDraft } from '../workflow-draft.ts';
import { argumentsOf } from './check-arguments.ts';
import type { NeedsGraph } from './check-needs.ts';
import { createAncestry, type IsNeeded } from './find-ancestors.ts';
import { taskPath, type Scope } from './scope.ts';
import { createSuggester, type Suggest } from './suggestions.ts';

/** Whether the sessions that tasks go on in are there by then, and never have two writers at once. */
export function checkSessions(scope: Scope, graph: NeedsGraph): Finding[] {
  const users = scope.draft.tasks.flatMap((task) => sessionUse(scope, task));
  if (users.length === 0) return [];
  const known: Known = { scope, isNeeded: createAncestry(graph), suggest: createSuggester(scope.positions) };
  const wrong = users.flatMap((use) => checkUse(known, graph, use));
  // Who shares a session with whom is not known while one of them is wrong.
  return wrong.length > 0 || scope.form === 'graph' ? wrong : checkWriters(users, known, graph);
}

interface Known {
  readonly scope: Scope;
  readonly isNeeded: IsNeeded;
  readonly suggest: Suggest;
}

interface SessionUse {
  readonly task: TaskDraft;
  readonly work: AgentDraft;
  readonly how: 'continue' | 'fork';
  /** The task whose session it is. */
  readonly of: string;
  readonly at: Path;
}

function sessionUse(scope: Scope, task: TaskDraft): SessionUse[] {
  const { work } = task;
  if (work.type !== 'agent' || work.session === undefined) return [];
  const how = 'continue' in work.session ? 'continue' : 'fork';
  const of = 'continue' in work.session ? work.session.continue : work.session.fork;
  return [{ task, work, how, of, at: [...taskPath(scope, task), 'session', how] }];
}

function checkUse(known: Known, graph: NeedsGraph, use: SessionUse): Finding[] {
  const { scope } = known;
  const { task, of, at } = use;
  const position = scope.positions.get(of);
  if (position === undefined) return [unknownTask(known, use)];
  if (of === task.name) {
    const remedy = 'Name another task; retries go on in their own session by themselves.';
    return [{ at, message: `\`${of}\` has no session before it starts.`, remedy }];
  }
  const unfit = [...checkOwner(scope.draft.tasks[position]!, use), ...checkAbility(known, use)];
  // With another agent, what this one cannot do is of no interest.
  return unfit.length > 0 ? unfit.slice(0, 1) : checkOrder(known, graph, use);
}

function unknownTask({ scope, suggest }: Known, { of, at }: SessionUse): Finding {
  const what = scope.form === 'graph' ? 'node' : 'task';
  const remedy =
    suggest(of).remedy ??
    (scope.inherits ? 'Sessions are shared only among tasks that stand side by side.' : undefined);
  const where = scope.inherits ? ' beside this one' : '';
  return {
    at,
    message: `There is no ${what} \`${of}\`${where}.`,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

/** Whether every agent that may have left the session can go on in it in that way: nobody else will be asked to. */
function checkAbility({ scope }: Known, { how, of, at }: SessionUse): Finding[] {
  const holders = holdersOf(scope, of);
  const done = holders.length > 1 ? 'may be done' : 'is done';
  const mute = holders.find((agent) => traitsOf(agent)?.sessions === 'none');
  if (mute !== undefined) {
    const message = `\`${of}\` ${done} by \`${mute}\`, which keeps no sessions.`;
    return [{ at, message, remedy: 'Tell this one in its prompt what it has to know.' }];
  }
  const unable = holders.find((agent) => how === 'fork' && traitsOf(agent)?.sessions === 'continue');
  if (unable === undefined) return [];
  const able = knownAgents().filter((agent) => traitsOf(agent)?.sessions === 'fork');
  const message = `\`${of}\` ${done} by \`${unable}\`, whose sessions cannot be copied.`;
  const remedy = `Write \`session: { continue: ${of} }\`, or use an agent whose sessions can: ${able.join(', ')}.`;
  const inCode = { remedy: remedy.replace(`: ${of} }`, `: '${of}' }`) };
  return [{ at, message, remedy, inCode }];
}

/** The agents of the task, and of those whose sessions it has gone on in itself: it is the one that has the session. */
function holdersOf(scope: Scope, name: string): string[] {
  const owners = new Set([name]);
  const agents = new Set<string>();
  // A set that grows while it is iterated is iterated to its end.
  for (const owner of owners) {
    const position = scope.positions.get(owner);
    const task = position === undefined ? undefined : scope.draft.tasks[position]!;
    if (task?.work.type !== 'agent') continue;
    for (const agent of task.work.agents) agents.add(agent);
    for (const { of } of sessionUse(scope, task)) owners.add(of);
  }
  return [...agents];
}

/** Whether the other task has a session, one only, of the same agent. */
function checkOwner(other: TaskDraft, { task, work, at, of }: SessionUse): Finding[] {
  if (other.work.type !== 'agent') {
    const message = `\`${of}\` is not done by an agent, so it has no session.`;
    return [{ at, message, remedy: 'Name a task that is done by an agent.' }];
  }
  if (other.forEach !== undefined) {
    const message = `\`${of}\` runs once for each item, so it has many sessions.`;
    const remedy = 'Put both into the `tasks` of one task with that `for-each`.';
    const inCode = { remedy: 'Put both into a workflow, and make that one task with this `forEach`.' };
    return [{ at, message, remedy, inCode }];
  }
  const [own, foreign] = [work, other.work].map(nameOfFirst);
  if (own === undefined || foreign === undefined || own === foreign) return [];
  const message = `\`${task.name}\` is done by \`${own}\`, which cannot go on in a session of \`${foreign}\`.`;
  return [{ at, message, remedy: `Let \`${task.name}\` and \`${of}\` name the same agent first.` }];
}

/** Of an agent that is any program, the program. */
function nameOfFirst(work: AgentDraft): string | undefined {
  const [first] = work.agents;
  if (first === undefined || traitsOf(first)?.isAnyProgram !== true) return first;
  return argumentsOf(work, first)[0] ?? first;
}

function checkOrder(known: Known, graph: NeedsGraph, { task, of, at }: SessionUse): Finding[] {
  const { scope, isNeeded } = known;
  if (scope.form === 'graph') {
    if (!isReachedWithout(scope, task.name, of)) return [];
    const message = `\`${task.name}\` can be reached before \`${of}\`, whose session it goes on in.`;
    return [{ at, message, remedy: `Let every way to \`${task.name}\` lead over \`${of}\`.` }];
  }
  const [position, other] = [scope.positions.get(task.name)!, scope.positions.get(of)!];
  // Behind a cycle nothing can be said about what comes before what.
  if (graph.rank[position]! < 0 || isNeeded(other, position)) return [];
  const message = `\`${task.name}\` goes on in the session of \`${of}\` without needing it. It may not have run yet.`;
  const inCode = { remedy: `Add \`needs: ['${of}']\` to \`${task.name}\`.` };
  return [{ at, message, remedy: `Add \`needs: [${of}]\` to \`${task.name}\`.`, inCode }];
}

function isReachedWithout(scope: Scope, name: string, avoided: string): boolean {
  const { tasks, graph } = scope.draft;
  const seen = new Set([graph?.start ?? '']);
  // A set that grows while it is iterated is iterated to its end.
  for (const node of seen) {
    if (node === avoided) continue;
    const position = scope.positions.get(node);
    for (const edge of (position === undefined ? undefined : tasks[position]!.next) ?? []) seen.add(edge.to);
  }
  seen.delete(avoided);
  return seen.has(name);
}

/** Two processes that write one transcript would spoil it: whoever continues a session must be ordered. */
function checkWriters(users: readonly SessionUse[], known: Known, graph: NeedsGraph): Finding[] {
  const rankOf = ({ task }: SessionUse) => graph.rank[known.scope.positions.get(task.name)!]!;
  // On a cycle, or behind one, there is no order.
  const writers = users.filter((use) => use.how === 'continue' && rankOf(use) >= 0);
  const continued = new Map(writers.map(({ task, of }) => [task.name, of]));
  const sessions = Map.groupBy(writers, ({ of }) => sessionOwner(of, continued));
  return [
    ...writers.flatMap(checkItems),
    ...[...sessions.values()].flatMap((group) =>
      checkGroup(
        group.sort((a, b) => rankOf(a) - rankOf(b)),
        known,
      ),
    ),
  ];
}

/** Where one continues what another has continued, it is still the session of the first. */
function sessionOwner(name: string, continued: ReadonlyMap<string, string>): string {
  let owner = name;
  // Ends: a task that continues itself or its dependants has been refused.
  for (let of = continued.get(owner); of !== undefined; of = continued.get(owner)) owner = of;
  return owner;
}

const forkInstead = 'Let it fork the session';

function checkItems({ task, of, at }: SessionUse): Finding[] {
  if (task.forEach === undefined || task.forEach.maxParallel === 1) return [];
  const message = `Items of \`${task.name}\` may run at the same time; they cannot all continue the session of \`${of}\`.`;
  const inCode = { remedy: `${forkInstead}: \`session: { fork: '${of}' }\`.` };
  return [{ at, message, remedy: `${forkInstead}: \`session: { fork: ${of} }\`.`, inCode }];
}

/** Sorted by rank, they are in order if each needs the one before. */
function checkGroup(group: readonly SessionUse[], { scope, isNeeded }: Known): Finding[] {
  return group.slice(1).flatMap((use, index) => {
    const before = group[index]!;
    const [first, second] = [before, use].map(({ task }) => scope.positions.get(task.name)!);
    if (isNeeded(first!, second!)) return [];
    const { task, of, at } = use;
    const message = `\`${task.name}\` and \`${before.task.name}\` may run at the same time; they cannot both continue one session.`;
    const remedy = `${forkInstead}: \`session: { fork: ${of} }\`; or order them with \`needs\`.`;
    const inCode = {
      remedy: `${forkInstead}: \`session: { fork: '${of}' }\`; or order them with \`needs\`.`,
    };
    return [{ at, message, remedy, inCode }];
  });
}
