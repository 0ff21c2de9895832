import { plural } from '../../../base/index.ts';
import { actionsFor, type RunEvent, type WatchedRun, type WatchedTask } from '../../../library/index.ts';
import type { EventType } from '../../../model/index.ts';
import { clockText, momentText, reasonLine, spanText } from '../output/index.ts';
import {
  againText,
  checkFailedText,
  decidedText,
  downText,
  questionText,
  raisedText,
  resourceName,
  startedText,
  toldText,
} from './agent-words.ts';
import {
  cleanedText,
  conflictText,
  deliveredText,
  orderedText,
  proposedText,
  recoveredText,
  refsText,
  rejectedText,
  shortCommit,
} from './place-words.ts';
import { untestedText } from '../../../project/index.ts';
import { commandFor, shortCommands } from '../command-for.ts';
import { describedText, limitsText } from './setting-words.ts';
import { attemptText } from '../task-lines.ts';

export type Tone = 'good' | 'bad' | 'warning' | 'plain' | 'quiet';

/** What a person is told of an event. The text may hold words of others: whoever prints it cleans it. */
export interface Saying {
  readonly tone: Tone;
  readonly symbol: string;
  readonly text: string;
  /** Commands to type. */
  readonly commands?: readonly string[];
  /** More about it, line by line; each is neutralised by whoever prints it. */
  readonly details?: readonly string[];
  /**
   * Where it is left out. `passing`: at a terminal, which shows what runs anyway. `detail`: also in the log of a run that is
   * piped or detached; `piton history` has it.
   */
  readonly rank?: 'passing' | 'detail';
}

type EventOf<Type extends EventType> = Extract<RunEvent, { type: Type }>;
type Describers = {
  readonly [Type in EventType]?: (event: EventOf<Type>, watched: WatchedRun) => Saying | undefined;
};

/** What to say of an event that was folded into the view just now; undefined if nobody needs to hear of it. */
export function describeEvent(watched: WatchedRun, event: RunEvent): Saying | undefined {
  // Of what was dropped since, nothing is made up.
  if (event.dropped?.some((name) => !untold.has(name)) === true) return undefined;
  const describe = describers[event.type] as
    ((event: RunEvent, watched: WatchedRun) => Saying | undefined) | undefined;
  return describe?.(event, watched);
}

/** Big values that are not told of. */
const untold = new Set(['output', 'outputs', 'inputs', 'state', 'patch', 'entries', 'used', 'functions']);

const say = (tone: Tone, symbol: string, text: string): Saying => ({ tone, symbol, text });
const namedAs = (what: string, tasks: readonly string[]): string[] =>
  tasks.length === 0 ? [] : [`${what}: ${tasks.join(', ')}`];

type Driven = NonNullable<EventOf<'lease.taken'>['data']['functions']>;

function otherText(functions: Driven): string {
  const names = functions.map(({ name }) => name).join(', ');
  const since = momentText(Math.min(...functions.map((one) => one.since!)));
  const whose = functions.length === 1 ? 'its task' : 'their tasks';
  return `goes on with other text of ${names} than since ${since}: give ${whose} a version if that does the same; else re-run what was done`;
}

const passing = (text: string): Saying => ({ ...say('quiet', '▸', text), rank: 'passing' });
const detail = (text: string): Saying => ({ ...passing(text), rank: 'detail' });

const describers: Describers = {
  'run.created': ({ run, data }) => detail(`run ${run} of ${data.workflow.name} begins`),
  'run.forked': ({ data }) => detail(`it shares the past of ${data.run} up to ${data.run}@${data.seq}`),
  'checkpoint.named': ({ run, seq, data }) => detail(`${run}@${data.seq ?? seq} is called ${data.name}`),
  'lease.taken': ({ data }) => {
    const changed = data.functions?.filter(({ since }) => since !== undefined) ?? [];
    if (changed.length > 0) return say('warning', '!', otherText(changed));
    return data.epoch > 1 ? detail(`process ${data.pid} on ${data.host} drives the run now`) : undefined;
  },
  'run.described': ({ data }) => detail(describedText(data.change)),
  'limits.changed': ({ data }) => say('plain', '▸', limitsText(data.changes)),
  'run.paused': ({ data }) =>
    say(
      'warning',
      '‖',
      `paused${because(data.reason)}: what is running goes on to its end, nothing new starts`,
    ),
  'run.resumed': () => say('plain', '▸', 'the pause is over'),
  'run.repaired': ({ data: { lostFrom, lostTo, held, spooled = [] } }) => {
    const known = Array.from(new Set(spooled.map(({ task }) => task)));
    const becomes = [
      ...namedAs('held', held),
      ...namedAs('not started again, since the spool has what they did', known),
    ];
    return say(
      'warning',
      '!',
      [`repaired: commits ${lostFrom} to ${lostTo} were lost`, ...becomes].join('; '),
    );
  },
  'run.imported': ({ data: { host, held } }) =>
    say(
      'warning',
      '‖',
      [`imported${host === undefined ? '' : ` from ${host}`}, and paused`, ...namedAs('held', held)].join(
        '; ',
      ),
    ),
  'drift.accepted': ({ data }) => {
    const tasks = [...new Set(data.changes?.flatMap(({ task }) => task ?? []))];
    const named =
      tasks.length === 0 ? '' : `: ${tasks.slice(0, 5).join(', ')}${tasks.length > 5 ? ', …' : ''}`;
    const [own] = data.migrated?.filter(({ scope }) => scope === '') ?? [];
    const version = own === undefined ? '' : `, migrated from version ${own.from} to ${own.to}`;
    return say('plain', '▸', `goes on with the changed definition${version}${named}`);
  },
  // What was accepted is told by what came of it.
  'command.decided': ({ data }) =>
    data.accepted
      ? undefined
      : say('warning', '!', `refused to ${refusedWords[data.command] ?? data.command}: ${data.answer}`),
  'cancel.requested': ({ task, data }) =>
    say('warning', '✗', `${task ?? 'the run'} is being cancelled: ${data.reason}`),
  'tasks.expanded': ({ task, data }) => passing(`${task} has ${plural(data.items.length, 'item')}`),
  'attempt.started': (event, watched) => startedSaying(event, watched),
  'attempt.spawned': (event, watched) => untestedSaying(event, watched) ?? sandboxSaying(event, watched),
  'session.opened': untestedSaying,
  'attempt.recovered': ({ task, data }) => say('good', '↻', `${task} ${recovered[data.how]}`),
  'attempt.ended': ({ task, data }) =>
    data.outcome === 'interrupted' ? interruptedText(task, data) : undefined,
  'work.finished': ({ task }, watched) =>
    detail(`${task} is done${watched.task(task)?.spec.work.type === 'agent' ? ', says its agent' : ''}`),
  'work.confirmed': ({ task, data }) => say('good', '✓', `${task} was marked as done: ${data.comment}`),
  'check.passed': ({ task }) => detail(`${task} has passed its check`),
  'check.failed': ({ task, data }) => say('warning', '✗', `${task} ${checkFailedText(data)}`),
  'message.added': ({ task, data }) => say('plain', '»', `${task} is told${toldText(data)}`),
  'session.lent': ({ task, data }) =>
    say('plain', '▸', `the session of ${task} is open in process ${data.pid} on ${data.host}`),
  'session.returned': ({ task, data }) =>
    say('plain', '▸', `the session of ${task} is back${data.abandoned === true ? lostHolder : ''}`),
  'workspace.prepared': ({ task, data }) => detail(`${task} works in ${data.path}`),
  'workspace.equipped': ({ task }) => detail(`${task} is set up`),
  'workspace.integrated': ({ task, data }, watched) =>
    detail(`the work of ${task} is in ${watched.branch ?? 'the run'} (${shortCommit(data.commit)})`),
  'conflict.found': ({ task, data }) => say('warning', '✗', conflictText(task, data)),
  'merge.proposed': ({ task, data }) => detail(`the work of ${task} ${proposedText(data)}`),
  'merge.verified': ({ task }) => detail(`the work of ${task} has passed its check together with the others`),
  'merge.rejected': ({ task, data }) => say('warning', '✗', `the work of ${task} ${rejectedText(data)}`),
  'refs.changed': ({ task, data }) => say('warning', '!', `${task} ${refsText(data)}`),
  'artifacts.kept': ({ task, data }) => detail(`${plural(data.paths.length, 'artifact')} of ${task} kept`),
  'payloads.dropped': () => say('quiet', '·', 'its big values and transcripts were removed to save room'),
  'run.delivered': ({ data }) => say('good', '✓', deliveredText(data)),
  'workspace.ordered': ({ task, data }) => say('plain', '▸', `the place of ${task} ${orderedText(data)}`),
  'workspace.cleaned': ({ task, data }) => cleanedSaying(task, data),
  'workspace.recovered': ({ task, data }) =>
    say('warning', data.how === 'held' ? '?' : '↻', `the place of ${task}: ${recoveredText(data)}`),
  'task.succeeded': ({ task }, watched) => settledText(watched.task(task), task),
  'task.failed': ({ task, data }, watched) =>
    say(
      'bad',
      '✗',
      `${task} failed${tries(watched.task(task))}: ${reasonLine(data.failure.message)} (${data.failure.code})`,
    ),
  'task.skipped': ({ task, data }) => say('quiet', '-', `${task} is skipped: ${data.reason}`),
  'task.cancelled': ({ task, data }) => say('warning', '✗', `${task} is cancelled: ${data.reason}`),
  'task.delayed': ({ at, task, data }) =>
    say('warning', '⟳', `${task}: ${data.reason}; tries again ${whenText(data.until, at)}`),
  'task.held': ({ run, task, data }) => ({
    ...say('warning', '?', `${task} waits for you: ${data.reason}`),
    commands: shortCommands(actionsFor(data), run, task),
  }),
  'gate.opened': ({ run, task, data }) => ({
    ...say('warning', '?', `${task} ${questionText(data)}`),
    commands: [data.question === undefined ? 'approve' : 'answer', 'reject'].map((action) =>
      commandFor(action, run, task),
    ),
  }),
  'gate.decided': ({ task, data }, watched) => decidedSaying(watched.task(task), task, data),
  'budget.raised': ({ task, data }) => say('good', '✓', `${task} may go on: ${raisedText(data)}`),
  'task.released': ({ task }) => say('plain', '▸', `${task} may be tried again`),
  'tasks.reopened': ({ data }) => say('plain', '↻', redoText(data.tasks.join(', '), data.reason)),
  'breaker.opened': ({ at, data }) => say('warning', '!', downText(data, whenText(data.until, at))),
  'breaker.closed': ({ data }) => say('good', '✓', `${resourceName(data.resource)} works again`),
  'clock.jumped': ({ data }) =>
    say('warning', '!', `the clock jumped by ${signed(data.ms)}: deadlines were shifted by as much`),
};

type Versioned = EventOf<'attempt.spawned'> | EventOf<'session.opened'>;

/** Once for each version. */
function untestedSaying({ task, attempt, data }: Versioned, watched: WatchedRun): Saying | undefined {
  const agent = watched.task(task)?.attempt?.agent;
  if (agent === undefined || !watched.isFirst(`version ${agent} ${data.version}`, attempt)) return undefined;
  const text = untestedText(agent, data.version);
  return text === undefined ? undefined : say('warning', '!', `${text}: see \`piton agents\``);
}

/** Once for each way: the first that is begun so tells it for all. */
function sandboxSaying(
  { task, attempt, data }: EventOf<'attempt.spawned'>,
  watched: WatchedRun,
): Saying | undefined {
  const { sandbox: by } = data;
  if (by === undefined || !watched.isFirst(`sandbox ${by}`, attempt)) return undefined;
  const why = /^none: (.*)$/s.exec(by)?.[1];
  if (why === undefined) return passing(`tasks such as ${task} run in a sandbox (${by})`);
  return say('warning', '!', `tasks such as ${task} run without a sandbox: ${why}; see \`piton doctor\``);
}

/** Commands whose names are no verbs. */
const refusedWords: Readonly<Record<string, string>> = { place: 'change the place', done: 'mark it as done' };

const lostHolder = ': whoever had it open is gone';

const recovered = {
  adopted: 'was still running: adopted, not started again',
  harvested: 'had ended meanwhile: what it left is harvested',
} as const;

function startedSaying({ task, data }: EventOf<'attempt.started'>, watched: WatchedRun): Saying {
  const line = watched.task(task);
  if (data.isSpooled === true) return passing(`${task} is taken up: it was begun before that was lost`);
  if (line?.attempt?.isAgain === true) return say('warning', '↻', `${task} ${againText(data)}`);
  const text = `${task} ${startedText(data, line)}`;
  return data.kind === undefined ? passing(text) : detail(text);
}

/** That nothing is left needs nobody's attention; what is left may be looked for. */
function cleanedSaying(task: string, data: EventOf<'workspace.cleaned'>['data']): Saying {
  const text = `the place of ${task} ${cleanedText(data)}`;
  return data.how === 'removed' ? detail(text) : say('plain', '▸', text);
}

function decidedSaying(
  line: WatchedTask | undefined,
  task: string,
  data: EventOf<'gate.decided'>['data'],
): Saying {
  const text = `${task} ${decidedText(data, line?.asked)}${decidedBy(data)}${because(data.comment)}`;
  return data.approved ? say('good', '✓', text) : say('bad', '✗', text);
}

/** Whoever decides it here knows that. */
function decidedBy({ by }: EventOf<'gate.decided'>['data']): string {
  return by === undefined || by.pid === process.pid ? '' : ` by ${by.user}@${by.host}`;
}

function interruptedText(task: string, data: EventOf<'attempt.ended'>['data']): Saying {
  if (data.neverBegan === true) return say('plain', '-', `${task} had not begun yet when the driver ended`);
  if (data.sessionLost === true)
    return say('warning', '!', `${task} cannot go on in its session${because(data.reason)}`);
  return say('warning', '!', `${task} was interrupted${because(data.reason)}`);
}

function settledText(line: WatchedTask | undefined, task: string): Saying {
  if (line === undefined || line.isGroup) return passing(`${task} is complete`);
  const took = line.tookMs === undefined ? '' : ` ${spanText(line.tookMs)}`;
  return say('good', '✓', `${task}${tries(line)}${took}`);
}

/** ` (attempt 2, 1 revision)`. */
function tries({ attempt, revisions = 0 }: Partial<WatchedTask> = {}): string {
  const text = attemptText({ attempts: attempt?.number ?? 1, revisions });
  return text === '' ? '' : ` (${text})`;
}

function because(reason: string | undefined): string {
  return reason === undefined || reason === '' ? '' : ` (${reason})`;
}

/** Relative, and for what is further off also as the clock will show it. */
function whenText(until: number, now: number): string {
  const ms = until - now;
  if (ms <= 0) return 'at once';
  return ms < 10_000 ? `in ${spanText(ms)}` : `in ${spanText(ms)} (at ${clockText(until)})`;
}

function signed(ms: number): string {
  return `${ms < 0 ? '-' : '+'}${spanText(Math.abs(ms))}`;
}

function redoText(tasks: string, reason: string): string {
  const again = 'to be done again: ';
  if (reason === again + tasks) return reason;
  if (reason.startsWith(again)) return `${again}${tasks} (asked for: ${reason.slice(again.length)})`;
  return `taken up again: ${tasks} (${reason})`;
}
