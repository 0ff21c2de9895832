import { isDeepStrictEqual } from 'node:util';
import { crashPoint, someNames } from '../base/index.ts';
import { finishedOf, placementOf, waitingToMerge, type RunState, type TaskState } from '../kernel/index.ts';
import type { Outcome } from '../model/index.ts';
import type { IntegrateRequest, Integration, MemberRequest } from '../workspaces/index.ts';
import { stoppedOutcome, type Attempt, type StopReason } from './attempt.ts';
import { failureOf } from './call-function.ts';
import { redactor } from './redact.ts';
import { folderOf, isWorkSaved, knownRequestOf, workOf, type Placed } from './placing.ts';
import { holdForSecrets, secretsFor, type SecretPorts } from './secrets-in-results.ts';
import type { Environment } from './task-environment.ts';
import { workTextOf } from './work-text.ts';
import type { DrivenPlaces } from './while-driving.ts';

export interface IntegratePorts {
  readonly workspaces: DrivenPlaces['workspaces'];
  readonly environment: Environment;
  readonly secrets: readonly string[];
  place(attempt: Attempt, given: { readonly state: RunState; readonly task: TaskState }): Promise<Placed>;
  ended(attempt: Attempt, outcome: Outcome): void;
}

/** So many are merged and checked at once. */
const largestBatch = 16;

/** Gives the result of a task to the others. Short, in this process, and safe to be done again. */
export class IntegrateAttempt implements Attempt {
  readonly task: string;
  readonly id: string;
  returned: Promise<void> = Promise.resolve();
  readonly #ports: IntegratePorts;
  #isOver = false;
  #stopReason: StopReason | undefined;

  constructor(address: string, id: string, ports: IntegratePorts) {
    this.task = address;
    this.id = id;
    this.#ports = ports;
  }

  begin(state: RunState, task: TaskState): void {
    this.returned = this.#work(state, task)
      .catch((thrown: unknown): Outcome => ({ type: 'failed', failure: failureOf(thrown) }))
      .then((outcome) => this.end(outcome));
  }

  async #work(state: RunState, task: TaskState): Promise<Outcome> {
    if (this.#stopReason !== undefined) return stoppedOutcome(this.#stopReason, { isStillRunning: false });
    if (task.inherited !== undefined) return this.#placeFirst(state, task);
    const artifacts = await this.#keepArtifacts(state, task);
    crashPoint('engine:after-artifacts');
    const placement = placementOf(state, task);
    if (placement.mode === 'shared' || !placement.integrates) return { type: 'succeeded', ...artifacts };
    const found = await this.#ports.workspaces.integrate(integrateRequest(state, task, this.#ports));
    crashPoint('engine:after-integrate');
    if (found.type === 'secrets') return holdForSecrets(found, task, this.#ports);
    return outcomeOf(found, task, artifacts);
  }

  /** Of a fork, which has what was finished in the other run but no place of its own yet: to be known by the journal before it is used. */
  async #placeFirst(state: RunState, task: TaskState): Promise<Outcome> {
    await this.#ports.place(this, { state, task });
    const reason = 'its place had to be made first';
    return { type: 'interrupted', reason, graceful: true, neverBegan: true };
  }

  async #keepArtifacts(state: RunState, task: TaskState): Promise<Kept> {
    const { artifacts: paths } = task.spec;
    if (paths === undefined) return {};
    const { run } = state;
    const folder = folderOf(state, task);
    const by = finishedOf(task.stage)?.by;
    const order = { run, task: task.address, folder, paths, ...(by !== undefined && { by }) };
    const { bytes } = await this.#ports.workspaces.keepArtifacts(order);
    return { artifacts: { paths, bytes } };
  }

  /** What has begun is over soon. */
  stop(reason: StopReason): void {
    this.#stopReason ??= reason;
  }

  letGo(): void {
    this.#isOver = true;
  }

  end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.letGo();
    this.#ports.ended(this, outcome);
  }
}

type Kept = Pick<Extract<Outcome, { type: 'succeeded' }>, 'artifacts'>;

function integrateRequest(state: RunState, task: TaskState, ports: SecretPorts): IntegrateRequest {
  const { spec, tally } = task;
  const { mergesWith = largestBatch } = tally;
  const { check } = spec;
  const verified = wantedProposal(state, task);
  const others = check === undefined ? [] : companionsOf(state, task).slice(0, mergesWith);
  return {
    ...memberRequest(state, task, ports),
    isChecked: check !== undefined,
    others: others.map((other) => memberRequest(state, other, ports)),
    ...(verified !== undefined && { verified }),
  };
}

/** Who was merged along may have been skipped, or told something, since: then it is not to land with this. */
function wantedProposal(state: RunState, { stage }: TaskState): IntegrateRequest['verified'] {
  const proposal = stage.name === 'integrate' ? stage.verified : undefined;
  if (proposal === undefined || proposal.members.length === 0) return proposal;
  const waiting = new Set(waitingToMerge(state).map(({ address }) => address));
  return proposal.members.every((member) => waiting.has(member)) ? proposal : undefined;
}

function memberRequest(state: RunState, task: TaskState, ports: SecretPorts): MemberRequest {
  const { knownRefs } = state;
  const { writes } = task.spec;
  const { snapshot, ...request } = knownRequestOf(state, task);
  const secrets = secretsFor(task, ports);
  const isOfAll = request.known.kind === 'remote' || isWorkSaved(task);
  return {
    ...workOf(state, task, request),
    ...(snapshot !== undefined && isOfAll && { snapshot }),
    known: request.known,
    knownRefs,
    ...(writes.length > 0 && { writes }),
    secrets,
    text: workTextOf(task, redactor(Object.values(secrets))),
  };
}

/** Who waits to be brought in, and would be checked in the very same way. */
function companionsOf(state: RunState, task: TaskState): TaskState[] {
  const own = task.spec.check!.work;
  // What is put into the command may be another for each.
  if (JSON.stringify(own).includes('${{') || isElsewhere(task)) return [];
  return waitingToMerge(state).filter(
    (other) => other !== task && !isElsewhere(other) && isDeepStrictEqual(other.spec.check?.work, own),
  );
}

/** What is laid out for all of them would have to be laid out there too, and taken back. */
function isElsewhere({ workspace }: TaskState): boolean {
  return workspace?.kind === 'remote';
}

function outcomeOf(
  found: Exclude<Integration, { type: 'secrets' }>,
  { workspace }: TaskState,
  kept: Kept,
): Outcome {
  switch (found.type) {
    case 'integrated': {
      const { result, commit } = found;
      return { type: 'succeeded', integrated: { result, commit }, ...kept };
    }
    case 'proposed': {
      const { result, commit, onto, members } = found;
      return { type: 'succeeded', proposed: { result, commit, onto, members } };
    }
    case 'conflict': {
      const { files, report } = found;
      const what = `what it made conflicts with what others have made: ${someNames(files)}`;
      const message = `${files.length === 0 ? report : what} (both sides are in ${workspace!.path})`;
      const failure = { code: 'MERGE_CONFLICT', message, retryable: true };
      return { type: 'failed', failure, conflict: files, report };
    }
    case 'exceeded': {
      const message = `it has written what it was not to write: ${someNames(found.files)} (look at it; then adopt takes it all the same, or put it right in ${workspace!.path}, and retry)`;
      return { type: 'failed', failure: { code: 'WRITES_EXCEEDED', message, retryable: false } };
    }
    case 'steering': {
      const message = `it has changed files that tell programs what to do, and that its \`writes\` do not name: ${someNames(found.files)} (look at them; then adopt takes them all the same, or put them back in ${workspace!.path}, and retry)`;
      return { type: 'failed', failure: { code: 'STEERING_CHANGED', message, retryable: false } };
    }
    case 'refs':
      return outcomeOfChanges(found.changes);
  }
}

function outcomeOfChanges(refs: Extract<Integration, { type: 'refs' }>['changes']): Outcome {
  const changes = `changed while it worked: ${refs.map(textOfChange).join(', ')}.`;
  const isConfig = refs.every(({ ref }) => ref.startsWith('config '));
  const failure = isConfig
    ? { code: 'GIT_CONFIG_CHANGED', message: `what git starts in your repository was ${changes} ${putRight}` }
    : {
        code: 'REFS_CHANGED',
        message: `refs of yours were ${changes} Put them right if need be, then retry`,
      };
  return { type: 'failed', failure: { ...failure, retryable: false }, refs };
}

/** What is there when a run begins is taken for the user's own. */
const putRight =
  'Take out of .git what is not yours (of its configuration: git config --unset <key>), then retry. What is still there you are asked about before your next run, and then counts as yours';

type Change = Extract<Integration, { type: 'refs' }>['changes'][number];

function textOfChange({ ref, before, after }: Change): string {
  if (ref.startsWith('config ')) {
    const how = after === undefined ? 'removed' : before === undefined ? 'added' : 'changed';
    return `${ref.slice('config '.length)} was ${how}`;
  }
  if (after === undefined) return `${ref} was deleted (it was at ${before})`;
  return before === undefined ? `${ref} was made` : `${ref} was moved (it was at ${before})`;
}
