import { sealJson, type Json, type JsonObject } from '../base/index.ts';
import type { EventOf } from '../model/index.ts';
import type { Conversation } from './conversation.ts';
import { isSettled } from './life.ts';
import { rebuildAgenda } from './rebuild-agenda.ts';
import { scopeAt, taskAt, type InheritedFiles, type RunState, type TaskState } from './run-state.ts';
import { conflictOf, finishedOf, withoutProposal, workStage, type Stage } from './stage.ts';
import { nothingUsed } from './usage-meter.ts';
import { forgetViews } from './variables.ts';

/**
 * Folds `run.forked`. What was decided and made so far counts here too. What belongs to the other run alone does not: its places, its
 * sessions, what it used, and where its work has gone. Its attempts under way are ended by the events that follow.
 */
export function foldFork(state: RunState, { data }: EventOf<'run.forked'>): void {
  const outgrown = new Set(data.outgrown);
  for (const task of state.tasks.values()) inheritTask(task, outgrown);
  leaveToParent(state);
  const { run, seq, supersedes } = data;
  const { supersededBy: _, ...about } = state.about ?? {};
  state.about = Object.freeze({
    ...about,
    fork: Object.freeze({ run, seq, ...(supersedes === true && { supersedes }) }),
  });
  if (data.inputs !== undefined) replaceInputs(state, data.inputs);
  for (const [address, output] of Object.entries(data.outputs ?? {})) replaceOutput(state, address, output);
  rebuildAgenda(state);
}

function leaveToParent(state: RunState): void {
  Object.assign(state, {
    usage: nothingUsed,
    toldSoFar: {},
    raised: {},
    spent: {},
    lent: {},
    pools: {},
    knownRefs: [],
  } satisfies Partial<RunState>);
  state.counts.places = 0;
  for (const known of ['spooled', 'delivered', 'lostTo', 'lostHead', 'cancelledIn'] as const)
    delete state[known];
}

const ofParent = ['workspace', 'slot', 'isAside', 'usage', 'raised', 'overspends'] as const;

function inheritTask(task: TaskState, outgrown: ReadonlySet<string>): void {
  const { workspace } = task;
  task.conversation = inheritConversation(task, outgrown);
  if (task.life.status === 'running' && task.life.attempt !== undefined)
    task.life = { status: 'running', attempt: { ...task.life.attempt, isOfParent: true } };
  if (!isSettled(task.life)) {
    inheritFiles(task);
    // What it does now is another effect than what the other run does.
    delete task.key;
  }
  for (const known of ofParent) if (workspace !== undefined || known !== 'workspace') delete task[known];
}

/** Its place is left elsewhere: what was saved of it is what it goes on with. */
export function inheritFiles(task: TaskState): void {
  const files = filesOf(task);
  task.stage = inheritStage(task, files);
  if (files !== undefined) task.inherited = files;
}

/** Only worktrees are saved as commits of this repository. */
function filesOf({ workspace, inherited }: TaskState): InheritedFiles | undefined {
  const { kind, base, snapshot, savedBy } = workspace ?? {};
  if (kind !== undefined || base === undefined || snapshot === undefined) return inherited;
  return { base, snapshot, ...(savedBy !== undefined && { savedBy }) };
}

/** What is finished counts only if its files are there; a conflict or a merge that was laid out is found again by merging again. */
function inheritStage({ stage, workspace }: TaskState, files: InheritedFiles | undefined): Stage {
  const conflict = conflictOf(stage);
  const finished = finishedOf(stage) ?? conflict?.finished;
  if (finished === undefined) return stage;
  const isShared = workspace === undefined && files === undefined;
  if (!isShared && (files?.savedBy === undefined || files.savedBy !== finished.by)) return workStage;
  return conflict === undefined ? withoutProposal(stage) : { name: 'integrate', finished };
}

function inheritConversation({ conversation }: TaskState, outgrown: ReadonlySet<string>): Conversation {
  const { session } = conversation;
  if (session === undefined) return conversation;
  const hasGoneOn = session.ofParent === 'outgrown' || outgrown.has(session.id);
  return { ...conversation, session: { ...session, ofParent: hasGoneOn ? 'outgrown' : 'current' } };
}

function replaceInputs(state: RunState, inputs: JsonObject): void {
  const scope = scopeAt(state, '');
  scope.inputs = sealJson({ ...scope.inputs, ...inputs });
  for (const each of state.scopes.values()) forgetViews(each);
}

function replaceOutput(state: RunState, address: string, output: Json): void {
  const task = taskAt(state, address);
  if (task.life.status === 'succeeded') task.life = { status: 'succeeded', output };
  forgetViews(scopeAt(state, task.scope));
}
