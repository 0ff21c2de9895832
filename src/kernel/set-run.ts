import {
  changeAbout,
  whyNotAbout,
  whyNotCheckpointName,
  whyNotLimit,
  type AboutChange,
  type Event,
  type LimitChange,
  type SentCommand,
} from '../model/index.ts';
import { decidedBy } from './decide-gate.ts';
import { scopeAt, type RunState } from './run-state.ts';
import { accept, refuse, type Verdict } from './verdict.ts';

type SetCommand = Extract<SentCommand, { type: 'set' }>;

/** An operator says something else of the run, or sets its limits: all of it or nothing. */
export function setRun(state: RunState, command: SetCommand): Verdict {
  const why = whyNot(state, command);
  if (why !== undefined) return refuse(why);
  const { about, limits = [], checkpoint } = command;
  const by = decidedBy(command);
  const events: Event[] = [];
  if (about !== undefined) events.push({ type: 'run.described', data: { change: about, ...by } });
  if (limits.length > 0) events.push({ type: 'limits.changed', data: { changes: limits, ...by } });
  if (checkpoint !== undefined) events.push({ type: 'checkpoint.named', data: { ...checkpoint, ...by } });
  const said = [
    ...saidOf(about ?? {}),
    ...limits.map((change) => limitText(state, change)),
    ...namedText(state, checkpoint),
  ];
  return said.length === 0 ? refuse('nothing is to be set') : accept(said.join('; '), ...events);
}

function whyNot(state: RunState, { about, limits = [], checkpoint }: SetCommand): string | undefined {
  return (
    (about && whyNotSaid(state, about)) ??
    whyNotSet(state, limits) ??
    (checkpoint && whyNotNamed(state, checkpoint))
  );
}

function namedText({ run }: RunState, checkpoint: SetCommand['checkpoint']): string[] {
  return checkpoint === undefined ? [] : [`${run}@${checkpoint.seq} is called ${checkpoint.name}`];
}

/** Also what is known already has to fit together with what is new: the whole of it is bounded. */
function whyNotSaid(state: RunState, change: AboutChange): string | undefined {
  const { fork: _, supersededBy: __, ...said } = changeAbout(state.about, change) ?? {};
  return whyNotAbout({ ...change }) ?? whyNotAbout(said);
}

function whyNotSet(state: RunState, limits: readonly LimitChange[]): string | undefined {
  const { status } = state.phase;
  if (limits.length > 0 && status !== 'active' && status !== 'paused')
    return `the run has ended (${status}): its limits mean nothing any more`;
  for (const change of limits) {
    const why = whyNotLimit(change);
    if (why !== undefined) return why;
  }
  const isGraph = scopeAt(state, '').graph !== undefined;
  return !isGraph && limits.some(({ limit }) => limit === 'max-steps')
    ? 'max-steps is a limit of graphs, and this run is of tasks'
    : undefined;
}

/** A name that somebody relies on does not come to mean something else. */
function whyNotNamed(
  { run, seq: last, names = {}, tasks }: RunState,
  { name, seq }: NonNullable<SetCommand['checkpoint']>,
): string | undefined {
  const why = whyNotCheckpointName(name);
  if (why !== undefined) return why;
  if (tasks.has(name)) return `${name} is the name of a task, and means the checkpoint after it`;
  if (seq < 1 || seq > last) return `it has no checkpoint ${seq}: the last is ${last}`;
  const taken = Object.hasOwn(names, name) ? names[name] : undefined;
  return taken === undefined || taken === seq ? undefined : `${run}@${taken} is called ${name} already`;
}

function saidOf({ name, group, note, labels = {}, metadata = {} }: AboutChange): string[] {
  return [
    ...textOf('name', name),
    ...textOf('group', group),
    ...(note === undefined ? [] : [note === null ? 'the note is removed' : 'the note is kept']),
    ...Object.entries(labels).flatMap(([key, value]) => textOf(`label ${key}`, value)),
    ...Object.entries(metadata).map(([key, value]) =>
      value === null ? `metadata ${key} is removed` : `metadata ${key} is kept`,
    ),
  ];
}

function textOf(what: string, value: string | null | undefined): string[] {
  if (value === undefined) return [];
  return [value === null ? `${what} is removed` : `${what} is ${value}`];
}

function limitText(state: RunState, { limit, to }: LimitChange): string {
  if (to === undefined) return `${limit} is as the workflow has it`;
  const { running } = state.counts;
  const isBelow = limit === 'max-parallel' && typeof to === 'number' && running > to;
  const meaning = isBelow ? ` (${running} are running: nothing new starts until fewer are)` : '';
  return `${limit} is ${to}${meaning}`;
}
