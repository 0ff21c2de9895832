import type { EventOf, EventType } from '../model/index.ts';
import { begunAnew } from './conversation.ts';
import { dropProposal, propose } from './holdings.ts';
import { isStanding } from './places-to-clean.ts';
import { isSlotEquipped } from './slots.ts';
import { conflictOf, conflictStage, finishedOf, workStage } from './stage.ts';
import { kindOf, taskAt, type RunState, type TaskState, type WorkspaceState } from './run-state.ts';

/** What becomes of a task's place, and of what was made there. */
type PlaceEvent =
  | 'workspace.prepared'
  | 'workspace.equipped'
  | 'workspace.saved'
  | 'workspace.ordered'
  | 'workspace.integrated'
  | 'workspace.cleaned'
  | 'workspace.recovered'
  | 'artifacts.kept'
  | 'merge.proposed'
  | 'merge.verified'
  | 'merge.rejected'
  | 'conflict.found'
  | 'refs.changed';

type PlaceFolders = {
  readonly [Type in Extract<EventType, PlaceEvent>]: (state: RunState, event: EventOf<Type>) => void;
};

export const placeFolders: PlaceFolders = {
  'workspace.prepared'(state, { task: address, data }) {
    const task = taskAt(state, address);
    if (!isStanding(task.workspace)) state.counts.places++;
    const isEquipped = isSlotEquipped(state, task);
    task.workspace = { ...data, ...keptOf(task, data.token), ...(isEquipped && { isEquipped }) };
    delete task.inherited;
  },
  'workspace.equipped'(state, { task: address }) {
    const task = taskAt(state, address);
    change(task, { isEquipped: true });
    const pool = poolOf(state, task);
    if (pool !== undefined) pool.equipped = [...pool.equipped, task.slot!];
    state.agenda.continued.push(address);
  },
  'workspace.saved'(state, { task: address, attempt, data }) {
    const task = taskAt(state, address);
    const { savedBy: before, ...place } = task.workspace!;
    const last = data.isLast === true ? attempt : undefined;
    // What a check leaves does not make it another's work.
    const savedBy = kindOf(task) === 'check' ? before : last;
    task.workspace = { ...place, snapshot: data.commit, ...(savedBy !== undefined && { savedBy }) };
  },
  'workspace.ordered'(state, { task: address, data: { action, ...order } }) {
    const task = taskAt(state, address);
    if (action === 'adopt') return change(task, { isAdopted: true });
    const { isAdopted: _, ...place } = task.workspace!;
    task.workspace = { ...place, order: { action, ...order } };
    // What is made anew has to be looked at again by whoever did it.
    if (action === 'discard' || finishedOf(task.stage) !== undefined || conflictOf(task.stage) !== undefined)
      task.stage = workStage;
    task.tally = { ...task.tally, conflicts: 0 };
    if (action !== 'discard') return;
    task.tally = { ...task.tally, revisions: 0 };
    task.conversation = begunAnew(task.conversation);
  },
  'workspace.integrated'(state, { task: address, data }) {
    const task = taskAt(state, address);
    dropProposal(state, task);
    const { mergesWith: _, ...tally } = task.tally;
    task.tally = tally;
    task.stage = { name: 'integrate', finished: finishedOf(task.stage) ?? {} };
    change(task, { integrated: data });
    state.tip = data.commit;
  },
  'workspace.cleaned'(state, { task: address, data }) {
    const task = taskAt(state, address);
    const wasStanding = isStanding(task.workspace);
    change(task, { cleaned: data });
    if (wasStanding && !isStanding(task.workspace)) state.counts.places--;
  },
  'workspace.recovered'(state, { task: address, data }) {
    if (data.how === 'held') return;
    const task = taskAt(state, address);
    // What was laid out to be checked is not there any more.
    dropProposal(state, task);
    // What was made anew has to be made usable again.
    const { isEquipped: _, order: __, ...place } = task.workspace!;
    task.workspace = place;
    const pool = poolOf(state, task);
    if (pool !== undefined) pool.equipped = pool.equipped.filter((slot) => slot !== task.slot);
  },
  'artifacts.kept'() {},
  'merge.proposed'(state, { task: address, data }) {
    propose(state, taskAt(state, address), data);
    state.agenda.continued.push(address);
  },
  'merge.verified'(state, { task: address }) {
    const task = taskAt(state, address);
    if (task.stage.name === 'verify') {
      const { finished, proposal: verified } = task.stage;
      task.stage = { name: 'integrate', finished, verified };
    }
    state.agenda.continued.push(address);
  },
  'merge.rejected'(state, { task: address, data }) {
    const task = taskAt(state, address);
    dropProposal(state, task);
    task.tally = { ...task.tally, mergesWith: data.most };
    state.agenda.continued.push(address);
  },
  'conflict.found'(state, { task: address, data }) {
    const task = taskAt(state, address);
    const before = task.stage;
    const finished = finishedOf(before) ?? conflictOf(before)?.finished ?? {};
    const { files, report } = data;
    const conflict = { files, report, finished };
    dropProposal(state, task);
    // What an agent could not resolve has not passed its check either.
    const isChecked = before.name === 'integrate' || task.spec.check === undefined;
    task.stage = { name: isChecked ? 'integrate' : 'check', finished, conflict };
    if (data.revision === 0) return;
    task.stage = conflictStage(conflict);
    task.tally = { ...task.tally, conflicts: data.revision };
    state.agenda.continued.push(address);
  },
  'refs.changed'(state, { data }) {
    state.knownRefs = [...state.knownRefs, ...data.refs];
  },
};

/** What is known of the files: of the same place made again, or of that of the other run, in a fork. */
function keptOf(
  { workspace, inherited }: TaskState,
  token: string,
): Pick<WorkspaceState, 'snapshot' | 'savedBy' | 'isAdopted'> {
  const known = workspace?.token === token ? workspace : undefined;
  const { snapshot, savedBy } = known ?? inherited ?? {};
  return {
    ...(snapshot !== undefined && { snapshot }),
    ...(savedBy !== undefined && { savedBy }),
    ...(known?.isAdopted === true && { isAdopted: true }),
  };
}

function change(task: TaskState, news: Partial<WorkspaceState>): void {
  task.workspace = { ...task.workspace!, ...news };
}

function poolOf(state: RunState, { item, slot }: TaskState): RunState['pools'][string] | undefined {
  return slot === undefined ? undefined : state.pools[item!.parent];
}
