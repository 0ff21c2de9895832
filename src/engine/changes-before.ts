import { decideReopen, fold, type Reopened, type Reopening, type RunState } from '../kernel/index.ts';
import type { Sender } from '../model/index.ts';
import { loadRun } from './load-run.ts';
import type { EnginePorts } from './options.ts';
import type { Program } from './program.ts';
import { doneEvents, redoRefused } from './redo.ts';
import { resolveDrift, type Resolved } from './resolve-drift.ts';
import { driftChoice, reopens, wishOf, type ResumeOptions } from './resume-options.ts';
import { senderHere } from './send-command.ts';
import { takenSessions } from './session-lease.ts';

interface Resuming {
  readonly state: RunState;
  readonly options: ResumeOptions;
}

/**
 * What is decided about a run before it goes on: which tasks are re-run or given up, and with which definition. What is re-run is as if
 * it had not begun: only then is the given definition compared. Throws `RUN_CHANGED`, `MIGRATION_FAILED`, `REDO_REFUSED`.
 */
export async function changesBefore(
  ports: EnginePorts,
  program: Program,
  { state, options }: Resuming,
): Promise<Resolved> {
  const choice = driftChoice(options);
  const rules = { program, maxOutputBytes: ports.maxOutputBytes };
  if (!reopens(options)) return resolveDrift(state, rules, choice);
  const [reopened, ...skips] = reopen(state, wishOf(options), senderHere(ports.environment));
  const { state: open } = await loadRun(ports.store, state.run);
  const place = { seq: state.seq + 1, at: state.at };
  fold(open, reopened, place);
  const { after, events } = await resolveDrift(open, rules, choice);
  // Whoever gives up a task may have taken it out of the file as well.
  const left = skips.filter(({ task }) => after.tasks.has(task));
  for (const skip of left) fold(after, skip, place);
  const marked = await doneEvents(ports, state, { options, program });
  const done = marked.filter((event) => !('task' in event) || after.tasks.has(event.task!));
  const taken = await takenSessions(ports, after);
  return { after, events: [reopened, ...events, ...left, ...done, ...taken] };
}

/** Settled tasks that are to run again, or to be given up, and what depends on them. Throws `REDO_REFUSED`. */
function reopen(state: RunState, wish: Reopening, by: Sender): Reopened {
  const { run } = state;
  const decided = decideReopen(state, wish);
  if ('events' in decided) {
    const [reopened, ...skips] = decided.events;
    return [{ ...reopened, data: { ...reopened.data, by } }, ...skips];
  }
  throw redoRefused(run, wish, decided);
}
