/** Journals that were recorded in every stage of a run, as people are shown them: no store, no clock, no processes. */
import { describe, expect, test } from 'vitest';
import { foldCommit, whyWaiting, type RunState } from '../../src/kernel/index.ts';
import type { Commit, RunEvent } from '../../src/model/index.ts';
import {
  Attempts,
  checkpointOf,
  inboxItemOf,
  RunSearch,
  searchPattern,
  TaskConversation,
  TimelineReader,
} from '../../src/views/index.ts';
import { fixtureNames, readFixture } from '../support/interrupted/fixture.ts';
import { commitsOf, decoded, nowhere } from '../support/interrupted/load.ts';
import { undocumented } from '../support/documented.ts';

async function recorded(name: string): Promise<readonly Commit[]> {
  return decoded(commitsOf(readFixture(name), nowhere));
}

function eventsIn(commits: readonly Commit[]): RunEvent[] {
  return commits.flatMap(({ run, seq, at, events }) =>
    events.map((event) => ({ ...event, run, seq, at }) as RunEvent),
  );
}

function stateAfter(commits: readonly Commit[]): RunState {
  return commits.reduce<RunState | undefined>(foldCommit, undefined)!;
}

describe.each(fixtureNames())('%s', (name) => {
  test('is shown at each of its commits, in the documented shape, and its tasks are counted', async () => {
    const commits = await recorded(name);
    let state: RunState | undefined;
    for (const commit of commits) {
      state = foldCommit(state, commit);
      const checkpoint = checkpointOf(state);
      expect(undocumented('Checkpoint', checkpoint)).toEqual([]);
      const leaves = Object.values(checkpoint.tasks).filter(({ isGroup }) => isGroup !== true);
      const counted = Object.groupBy(leaves, ({ status }) => status);
      for (const [status, count] of Object.entries(checkpoint.counts))
        expect([status, counted[status as keyof typeof counted]?.length ?? 0]).toEqual([status, count]);
      expect([checkpoint.seq, checkpoint.status]).toEqual([commit.seq, checkpoint.status]);
    }
  });

  test('has a line of time on which every attempt has its begin, and every driver what it left', async () => {
    const commits = await recorded(name);
    const events = eventsIn(commits);
    const reader = new TimelineReader();
    for (const event of events) reader.add(event);
    const { timeline } = reader;
    expect(undocumented('Timeline', timeline)).toEqual([]);
    const begun = events.flatMap((event) => (event.type === 'attempt.started' ? [event.attempt] : []));
    const ended = events.flatMap((event) => (event.type === 'attempt.ended' ? [event.attempt] : []));
    expect(timeline.attempts.map(({ attempt }) => attempt)).toEqual([...new Set(begun)]);
    expect(timeline.attempts.filter(({ outcome }) => outcome !== undefined)).toHaveLength(
      new Set(ended).size,
    );
    expect(timeline.drives.map(({ epoch }) => epoch)).toEqual(
      events.flatMap((event) => (event.type === 'lease.taken' ? [event.data.epoch] : [])),
    );
    for (const { end, left } of timeline.drives) expect(left.length > 0).toBe(end === 'died');
  });

  test('what tasks and attempts have used is the same sum, however it is counted', async () => {
    const commits = await recorded(name);
    const attempts = new Attempts();
    for (const event of eventsIn(commits)) attempts.add(event);
    const { tasks, usage } = checkpointOf(stateAfter(commits));
    const output = (of: readonly { usage?: { output: number } }[]): number =>
      of.reduce((sum, { usage: used }) => sum + (used?.output ?? 0), 0);
    expect(output(attempts.list())).toBe(usage?.output ?? 0);
    expect(output(Object.values(tasks))).toBe(usage?.output ?? 0);
    for (const [address, task] of Object.entries(tasks)) {
      expect(output(attempts.list(address))).toBe(task.usage?.output ?? 0);
      expect(task.attempts).toBe(attempts.list(address).filter(({ kind }) => kind === 'work').length);
    }
  });

  test('what is held waits for a person, with something that can be done and what it does', async () => {
    const state = stateAfter(await recorded(name));
    const of = { run: name, workflow: 'flow', since: 1, version: 1 };
    const waiting = whyWaiting(state);
    for (const [address, view] of Object.entries(checkpointOf(state).tasks)) {
      const item = inboxItemOf(of, address, view);
      expect(item !== undefined).toBe(view.status === 'held');
      expect(view.waiting).toEqual(waiting(state.tasks.get(address)!));
      if (item === undefined) continue;
      expect(undocumented('InboxItem', item)).toEqual([]);
      expect(item.actions.length).toBeGreaterThan(0);
      for (const { action, effect } of item.actions) expect(effect).not.toBe(action);
      const withQueued = (action: string) =>
        inboxItemOf({ ...of, queued: [{ id: 'q', at: 1, action, task: address }] }, address, view)!.actions;
      expect(withQueued('skip')).toEqual([expect.objectContaining({ action: 'resume' }), ...item.actions]);
      // A message for the agent decides nothing.
      expect(withQueued('tell')).toEqual(item.actions);
    }
  });

  test('what a conversation shows is found, each line once and where it was said', async () => {
    const commits = await recorded(name);
    const events = eventsIn(commits);
    const pattern = await searchPattern('.+', true);
    for (const task of Object.keys(checkpointOf(stateAfter(commits)).tasks)) {
      const said = new TaskConversation(task);
      const search = new RunSearch({ run: name, workflow: 'flow', pattern, task, limit: Infinity });
      for (const event of events) {
        said.add(event);
        search.add(event);
      }
      const hits = search.hits.toReversed().filter((hit) => hit.task === task && isText(hit));
      const lines = said.turns
        .filter(isText)
        .flatMap(({ seq, attempt, text }) => text.split('\n').map((line) => [seq, attempt, beginOf(line)]))
        .filter(([, , line]) => line !== '');
      expect(hits.map(({ seq, attempt, line }) => [seq, attempt, beginOf(line)])).toEqual(lines);
    }
  });
});

/** Calls are searched by the fields of their input, and have their answers in a conversation. */
function isText({ role }: { readonly role: string }): boolean {
  return !['call', 'answer', 'asked', 'session'].includes(role);
}

/** The rest of a long line is cut. */
function beginOf(line: string): string {
  return line.trim().slice(0, 200);
}
