import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { livenessOf, systemClock } from '../../src/base/index.ts';
import { open } from '../../src/index.ts';
import type { Lease } from '../../src/model/index.ts';
import { findLease, type Store } from '../../src/store/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { eventually } from '../support/eventually.ts';
import { executionsIn, tasksRunIn } from '../support/executions.ts';
import { drive, driving, killAt, untouchedIn } from '../support/kill.ts';
import { brokenPromises, type Untouched } from '../support/promises.ts';
import { endingOf, lookAt } from '../support/sight.ts';
import type { Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const leaseMs = 400;

function openGate(folder: string): void {
  writeFileSync(join(folder, 'gate-second'), '');
}

async function storeOf(folder: string): Promise<Store> {
  const url = `sqlite:${join(folder, 'piton.db')}`;
  const store = await openSqliteStore(url, { durability: 'process', clock: systemClock });
  onTestFinished(() => store.close());
  return store;
}

/** The lease of the run as it stands whenever it is asked for. */
async function watchLease(folder: string): Promise<() => Promise<Lease | undefined>> {
  const store = await storeOf(folder);
  return () => findLease(store, 'run:run');
}

async function untilSilent(folder: string): Promise<void> {
  const lease = await watchLease(folder);
  await eventually('the driver is stopped and its lease has run out', async () => {
    const current = await lease();
    if (current === undefined) return false;
    return livenessOf(current.owner) === 'stopped' && current.isExpired;
  });
}

function isStoppedOwner(lease: Lease | undefined, { child }: Program): boolean {
  return lease?.owner.pid === child.pid && livenessOf(lease!.owner) === 'stopped';
}

function tasksRunBy({ child }: Program, folder: string): string[] {
  return executionsIn(folder)
    .filter(({ pid }) => pid === child.pid)
    .map(({ task }) => task);
}

describe('a driver that was stopped for longer than its lease', () => {
  /** Where it is stopped, and what it had run until then. */
  const stops = [
    ['after the commit that creates the run', 'after:run.created', []],
    ['before the commit that settles a task', 'before:task.succeeded#1', ['first']],
    ['after the commit that starts a task', 'after:attempt.started#2', ['first']],
  ] as const;

  test.for(stops)(
    '%s, finds itself replaced: it writes nothing, starts nothing and says LEASE_LOST',
    async ([, place, hadRun]) => {
      const folder = temporaryFolder();
      openGate(folder);
      const stale = drive({ shape: 'gated', folders: [folder], leaseMs }, { PITON_STOP_AT: place });
      await untilSilent(folder);

      const successor = await drive({ shape: 'gated', folders: [folder], verb: 'resume' }).ended();
      const { journal } = await lookAt(folder);
      stale.child.kill('SIGCONT');
      const { lines } = await stale.ended();

      expect(successor.lines.at(-1)).toBe('ended succeeded');
      expect(lines.at(-1)).toBe('refused LEASE_LOST');
      expect(tasksRunBy(stale, folder)).toEqual(hadRun);
      expect((await lookAt(folder)).journal).toEqual(journal);
    },
  );

  test('in the middle of a task, may end that task, but starts none that follow while another one drives', async () => {
    const folder = temporaryFolder();
    const stale = drive({ shape: 'gated', folders: [folder], leaseMs });
    await eventually('the second task runs', () => tasksRunIn(folder).includes('second'));
    stale.child.kill('SIGSTOP');
    await untilSilent(folder);

    const successor = drive({ shape: 'gated', folders: [folder], verb: 'resume' });
    await eventually('it runs again', () => tasksRunBy(successor, folder).includes('second'));
    stale.child.kill('SIGCONT');
    const { lines } = await stale.ended();
    openGate(folder);
    await successor.ended();

    expect(lines.at(-1)).toBe('refused LEASE_LOST');
    expect(tasksRunBy(stale, folder)).toEqual(['first', 'second']);
    expect(tasksRunBy(successor, folder)).toEqual(['second', 'third']);
    expect(await endingOf(folder)).toMatchObject({
      status: 'succeeded',
      outputs: { third: 3 },
      verified: true,
    });
  });

  test('is refused even if the one who replaced it has not written anything yet', async () => {
    const folder = temporaryFolder();
    openGate(folder);
    const stale = drive(
      { shape: 'gated', folders: [folder], leaseMs },
      { PITON_STOP_AT: 'before:task.succeeded#1' },
    );
    await untilSilent(folder);
    const successor = drive(
      { shape: 'gated', folders: [folder], verb: 'resume' },
      { PITON_STOP_AT: 'before:lease.taken' },
    );
    const lease = await watchLease(folder);
    await eventually('the other one has the lease', async () => isStoppedOwner(await lease(), successor));
    const { journal } = await lookAt(folder);

    stale.child.kill('SIGCONT');
    const { lines } = await stale.ended();

    expect(lines.at(-1)).toBe('refused LEASE_LOST');
    expect((await lookAt(folder)).journal).toEqual(journal);
    successor.child.kill('SIGCONT');
    expect((await successor.ended()).lines.at(-1)).toBe('ended succeeded');
  });

  test('goes on if nobody has replaced it', async () => {
    const folder = temporaryFolder();
    openGate(folder);
    const driver = drive(
      { shape: 'gated', folders: [folder], leaseMs },
      { PITON_STOP_AT: 'after:attempt.started#2' },
    );
    await untilSilent(folder);

    driver.child.kill('SIGCONT');

    expect((await driver.ended()).lines.at(-1)).toBe('ended succeeded');
    expect(tasksRunIn(folder)).toEqual(['first', 'second', 'third']);
    expect((await endingOf(folder)).verified).toBe(true);
  });
});

async function eightReady(folder: string, verb: 'start' | 'resume'): Promise<Program[]> {
  const programs = Array.from({ length: 8 }, () =>
    drive({ shape: 'gated', folders: [folder], verb, awaitsGo: true }),
  );
  const lines = await Promise.all(programs.map((program) => program.nextLine()));
  expect(lines).toEqual(programs.map(() => 'ready'));
  return programs;
}

function letGo(programs: readonly Program[]): void {
  for (const { child } of programs) child.stdin!.write('go\n');
}

async function untouchedGated(): Promise<Untouched> {
  const folder = temporaryFolder();
  openGate(folder);
  await drive({ shape: 'gated', folders: [folder] }).ended();
  return untouchedIn(folder);
}

describe('eight processes at once', () => {
  test('resuming one run: one drives it, the others are told RUN_DRIVEN, and no task runs twice', async () => {
    const folder = temporaryFolder();
    await killAt('after:attempt.started#2', driving({ shape: 'gated', folders: [folder] }));
    const before = await lookAt(folder);
    const programs = await eightReady(folder, 'resume');

    letGo(programs);
    const answers = await Promise.all(programs.map((program) => program.nextLine()));
    openGate(folder);
    await Promise.all(programs.map((program) => program.ended()));

    expect(answers.toSorted()).toEqual(['driving', ...Array.from({ length: 7 }, () => 'refused RUN_DRIVEN')]);
    const evidence = { before, after: await lookAt(folder), ending: await endingOf(folder) };
    expect(brokenPromises({ ...evidence, untouched: await untouchedGated() })).toEqual([]);
    expect(tasksRunIn(folder)).toEqual(['first', 'second', 'third']);
  });

  test('starting a run of the same name: one makes and drives it, and all see it end', async () => {
    const folder = temporaryFolder();
    const programs = await eightReady(folder, 'start');

    letGo(programs);
    await Promise.all(programs.map((program) => program.nextLine()));
    openGate(folder);
    const ends = await Promise.all(programs.map((program) => program.ended()));

    expect(ends.map(({ lines }) => lines.at(-1))).toEqual(programs.map(() => 'ended succeeded'));
    expect(tasksRunIn(folder)).toEqual(['first', 'second', 'third']);
  });
});

test('a command to a driver that dies before it has answered is queued, and decided by whoever resumes', async () => {
  const folder = temporaryFolder();
  const driver = drive({ shape: 'gated', folders: [folder] });
  await eventually('the second task runs', () => tasksRunIn(folder).includes('second'));
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  const run = await piton.find('run');
  driver.child.kill('SIGSTOP');

  const store = await storeOf(folder);
  const sent = run.cancel('enough');
  await eventually('it is sent', async () => (await store.pendingCommands('run')).length === 1);
  driver.child.kill('SIGKILL');

  expect(await sent).toMatchObject({ status: 'queued' });
  expect(await run.status()).toBe('interrupted');
  const { lines } = await drive({ shape: 'gated', folders: [folder], verb: 'resume' }).ended();
  expect(lines.at(-1)).toBe('ended cancelled');
  expect(tasksRunIn(folder)).toEqual(['first', 'second']);
});

test('a task that blocks the event loop for longer than the lease does not lose it', async () => {
  const folder = temporaryFolder();
  const blockedLeaseMs = 1_000;
  const driver = drive({ shape: 'blocking', folders: [folder], leaseMs: blockedLeaseMs });
  const rival = drive({ shape: 'blocking', folders: [folder], verb: 'resume', awaitsGo: true });
  await rival.nextLine();
  await eventually('the task blocks', () => tasksRunIn(folder).includes('blocks'));
  const lease = await watchLease(folder);
  const { takenAt } = (await lease())!;
  await eventually('the lease would have run out', () => Date.now() > takenAt + 1.2 * blockedLeaseMs);

  rival.child.stdin!.write('go\n');

  expect(await rival.nextLine()).toBe('refused RUN_DRIVEN');
  expect(tasksRunIn(folder)).toEqual(['blocks']);
  expect((await driver.ended()).lines.at(-1)).toBe('ended succeeded');
  const taken = (await lookAt(folder)).journal.filter(({ type }) => type === 'lease.taken');
  expect(taken).toHaveLength(1);
});
