import { genesis } from '../src/base/index.ts';
import { encodeCommit } from '../src/engine/codec.ts';
import { Journal } from '../src/engine/journal.ts';
import { fold, newRunState, summaryOf } from '../src/kernel/index.ts';
import { journalVersion, type Event } from '../src/model/index.ts';
import { openSqliteStore, systemClock, workflow } from './library.ts';

const run = 'long';
const owner = { host: 'h', bootId: 'b', pidNamespace: 'p', pid: 1, startTime: '1', instance: 'i' };

interface Size {
  readonly commits: number;
  /** Of all that the agent says. */
  readonly bytes: number;
}

/**
 * Writes a run as a driver leaves it that is killed while an agent works, and another task waits for a person: the same events, commits
 * and snapshots, without any process.
 */
export async function writeLongRun(file: string, { commits, bytes }: Size): Promise<void> {
  const store = await openSqliteStore(`sqlite:${file}`, { durability: 'process', clock: systemClock });
  const opening = openingEvents();
  const at = systemClock.now();
  const first = { run, seq: 1, at, epoch: 1, version: journalVersion, events: opening };
  const state = newRunState(first);
  for (const event of opening) fold(state, event, { seq: 1, at });
  const { stored, blobs } = encodeCommit(first, genesis);
  const summary = summaryOf(state);
  const taken = { name: `run:${run}`, owner, token: 't', leaseMs: 60_000 };
  const request = { commit: stored, blobs, summary, at, lease: taken, release: false };
  const lease = await store.createRun(request);
  const journal = new Journal({ store, lease, head: stored });
  for (let seq = 2; seq <= commits; seq++) {
    const event = saying(seq, Math.ceil(bytes / commits));
    fold(state, event, { seq, at });
    await journal.append(state, [event], { answers: [] });
    if (journal.isSnapshotDue) await journal.saveSnapshot(state);
  }
  await store.close();
}

function openingEvents(): Event[] {
  const definition = workflow('long')
    .agent('work', { agent: 'claude', permissions: 'edit' }, 'Do it.')
    .task('ask', { approval: 'Go on?' }, () => 2);
  return [
    { type: 'run.created', data: { workflow: definition.workflow, inputs: {} } },
    { type: 'lease.taken', data: { epoch: 1, host: 'h', pid: 1, instance: 'i' } },
    { type: 'gate.opened', task: 'ask', data: { gate: 'g', text: 'Go on?' } },
    {
      type: 'attempt.started',
      task: 'work',
      attempt: 'a',
      data: { number: 1, agent: { name: 'claude', how: 'new' } },
    },
    { type: 'session.opened', task: 'work', attempt: 'a', data: { agent: 'claude', session: 's' } },
  ];
}

/** A tool call with its result, and what was used. No two are the same. */
function saying(seq: number, bytes: number): Event {
  const id = `call-${seq}`;
  const usage = { type: 'usage', input: 1_000, output: 50, costUsd: 0.01, isCumulative: false };
  const entries = [
    { type: 'tool-started', id, name: 'Bash', input: { command: `cat src/part-${seq}.ts` } },
    { type: 'tool-finished', id, isError: false, output: `line ${seq} `.repeat(bytes / 10) },
    { type: 'message', role: 'assistant', text: `Part ${seq} is fine.` },
    usage,
  ];
  const data = { upTo: seq * bytes, entries, used: [usage], last: `Part ${seq} is fine.`, day: '2026-01-01' };
  return { type: 'transcript.added', task: 'work', attempt: 'a', data };
}
