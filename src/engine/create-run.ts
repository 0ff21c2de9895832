import { genesis, randomId } from '../base/index.ts';
import { fold, newRunState, plan, statusOf, summaryOf } from '../kernel/index.ts';
import { isFinal, journalVersion, type Commit, type Event } from '../model/index.ts';
import { ownedBy } from './assert-own-run.ts';
import { encodeCommit } from './codec.ts';
import { drivenFunctions } from './driven-functions.ts';
import { usedElsewhere, type ElsewherePorts } from './elsewhere.ts';
import { Journal, passCrashPoints } from './journal.ts';
import { assertAgents } from './known-agents.ts';
import { assertNotLost } from './lost-end.ts';
import { makeWorld } from './make-world.ts';
import { createdEvent, takenEvent } from './opening-events.ts';
import { leaseName, type CreateOptions } from './options.ts';
import type { Program } from './program.ts';
import type { Course } from './run-writer.ts';
import { readAbout } from './settings.ts';
import { assertSecrets } from './secrets.ts';
import { startTrouble } from './stall.ts';
import { Recorder } from './tell-observers.ts';

/** A run that has just been made, and the events of its first commit, which are yet to be acted upon. */
export interface CreatedRun extends Course {
  readonly events: readonly Event[];
  /** When it was asked for. */
  readonly at: number;
}

/** Makes a run with all that follows from its beginning, in one commit. Throws `RUN_EXISTS`, `RUN_LOST`. */
export async function createRun(
  ports: ElsewherePorts,
  program: Program,
  options: CreateOptions,
): Promise<CreatedRun> {
  const { run } = options;
  const { store, clock, owner, leaseMs, observers } = ports;
  await assertNotLost(ports, run);
  const at = clock.now();
  const about = readAbout(ports, program.workflow, options.about);
  const created = createdEvent(program.workflow, { ...ownedBy(store, options), about });
  const head = { run, seq: 1, at, epoch: 1, version: journalVersion };
  const state = newRunState({ ...head, events: [created] });
  const opening = [created, takenEvent(owner, 1, drivenFunctions(state, program))];
  const recorder = new Recorder(observers);
  const folded = (event: Event): void => recorder.note(state, [event]);
  for (const event of opening) fold(state, event, { seq: 1, at });
  assertAgents(state);
  assertSecrets(state, ports.environment);
  const elsewhere = await usedElsewhere(ports, state);
  const { evaluator, workflow } = program;
  const mayStart = startTrouble(ports) === undefined;
  const world = makeWorld(ports, { evaluator, workflow, mayStart, elsewhere });
  const events = [...opening, ...plan(state, world, { seq: 1, at, folded })];
  const commit: Commit = { ...head, events };
  const { stored, blobs } = encodeCommit(commit, genesis);
  passCrashPoints('before', events);
  const lease = await store.createRun({
    commit: stored,
    blobs,
    summary: summaryOf(state),
    at,
    lease: { name: leaseName(run), owner, token: randomId(26), leaseMs },
    release: isFinal(statusOf(state)),
  });
  passCrashPoints('after', events);
  const journal = new Journal({ store, lease, head: stored });
  return { state, journal, recorder, events, at };
}
