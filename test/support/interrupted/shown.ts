/** What is shown of a fixture before anybody goes on with it, as lines. Whoever changes how it is told changes it here alone. */
import {
  foldCommit,
  isGroup,
  isSettled,
  statusOf,
  statusOfTask,
  summaryOf,
  type RunState,
  type TaskState,
} from '../../../src/kernel/index.ts';
import { nextKind } from '../../../src/kernel/turns.ts';
import type { Commit } from '../../../src/model/index.ts';
import type { Project } from '../../cli/command-line.ts';

/** After each commit what has changed: the status of the run and of its tasks, what they do, and what comes next. */
export function courseOf(commits: readonly Commit[]): string {
  let state: RunState | undefined;
  const last = new Map<string, string>();
  const lines = commits.map((commit) => {
    state = foldCommit(state, commit);
    const now = [['run', statusOf(state)], ...tasksIn(state)] as const;
    const changed = now.filter(([name, text]) => last.get(name) !== text);
    for (const [name, text] of changed) last.set(name, text);
    return changed.length === 0
      ? ''
      : `@${commit.seq} ${changed.map((entry) => entry.join(' ')).join(', ')}\n`;
  });
  return lines.join('');
}

function tasksIn(state: RunState): (readonly [string, string])[] {
  return [...state.tasks.values()].map((task) => [task.address, taskText(state, task)] as const);
}

function taskText(state: RunState, task: TaskState): string {
  const status = statusOfTask(task);
  const { life } = task;
  if (life.status === 'running')
    return life.attempt === undefined ? status : `${status} ${life.attempt.kind ?? 'work'}`;
  const isLeft = ['queued', 'held', 'delayed'].includes(status) && task.spec.work.type !== 'workflow';
  return isLeft ? `${status} before ${nextKind(state, task) ?? 'work'}` : status;
}

/** Then, what consists of other tasks was counted too. */
export function summaryText(state: RunState): string {
  const { workflowHash: _, ...summary } = summaryOf(state);
  const groups = [...state.tasks.values()].filter((task) => isGroup(state, task));
  const total = summary.total + groups.length;
  const settled = summary.settled + groups.filter(({ life }) => isSettled(life)).length;
  return `summary ${JSON.stringify({ ...summary, settled, total })}\n`;
}

const coreKeys = [
  'status',
  'attempts',
  'agent',
  'generation',
  'hold',
  'reason',
  'until',
  'lent',
  'messages',
  'checking',
  'integrating',
  'revisions',
  'unfitted',
  'usage',
  'output',
  'error',
];

interface ShownTask {
  readonly [key: string]: unknown;
}

/** In the words of the version that recorded the fixtures. */
function asRecorded(task: ShownTask): ShownTask {
  const { status, stage, reason, actions, gate, call, isConflicting } = task;
  const isOpen = !['succeeded', 'failed', 'skipped', 'cancelled'].includes(status as string);
  const isFinished = isOpen && ['check', 'integrate', 'verify'].includes(stage as string);
  return {
    ...task,
    ...(status === 'held' && { hold: { reason, actions, gate, call } }),
    ...(isFinished && (stage === 'check' ? { checking: true } : { integrating: true })),
    ...(isConflicting === true && { unfitted: true }),
  };
}

/** Then, setups, checks and the like were numbered as attempts too. */
function attemptsIn(commits: readonly Commit[]): ReadonlyMap<string, number> {
  const events = commits.flatMap((commit) => commit.events);
  return new Map(
    events.flatMap((event) =>
      event.type === 'attempt.started' ? [[event.task, event.data.number] as const] : [],
    ),
  );
}

/** As `summaryText`. */
function progressThen({ progress, tasks }: Shown): object {
  const groups = Object.values(tasks).filter((task) => task['isGroup'] === true);
  const isDone = (task: ShownTask): boolean =>
    ['succeeded', 'failed', 'skipped', 'cancelled'].includes(task['status'] as string);
  const total = progress.total + groups.length;
  const settled = progress.done + groups.filter(isDone).length;
  return { settled, total, percent: total === 0 ? 0 : Math.floor((100 * settled) / total) };
}

/** Of `status --json` and `show --json` what anybody relies on. */
export async function shownBy(project: Project, run: string, commits: readonly Commit[]): Promise<string> {
  const attempts = attemptsIn(commits);
  const status = (await project.json(['status', run])) as Shown;
  const shown = (await project.json(['show', run])) as Shown;
  const inbox = (await project.json(['inbox'])) as {
    readonly run: string;
    readonly [key: string]: unknown;
  }[];
  const lines = Object.entries(shown.tasks).map(([task, report]) => {
    const all = asRecorded({ ...report, ...status.tasks[task], attempts: attempts.get(task) ?? 0 });
    const core = coreKeys.flatMap((key) => (key === 'reason' && 'hold' in all ? [] : [[key, all[key]]]));
    return `${task} ${JSON.stringify(Object.fromEntries(core))}\n`;
  });
  // That the run as a whole was interrupted is in its status, and was not in the inbox then.
  const mine = inbox.filter((item) => item.run === run && item['task'] !== undefined);
  const waiting = mine.map(({ task, actions }) => {
    const commands = (actions as { readonly command: string }[])
      .map(({ command }) => command)
      .filter((command) => !command.includes('--fresh'));
    return `inbox ${JSON.stringify({ task, commands })}\n`;
  });
  const { next, reason, usage } = status;
  const progress = progressThen(status);
  return [
    `status ${JSON.stringify({ status: status.status, progress, usage, reason, next })}\n`,
    ...lines,
    ...waiting,
  ].join('');
}

interface Shown {
  readonly status: string;
  readonly tasks: Readonly<Record<string, ShownTask>>;
  readonly progress: { readonly done: number; readonly total: number; readonly percent: number };
  readonly next?: unknown;
  readonly reason?: unknown;
  readonly usage?: unknown;
}
