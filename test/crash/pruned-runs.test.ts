/** Whoever removes a run is killed: its id is free, or the run is there. */
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadWorkflow, open, PitonError, type Piton } from '../../src/index.ts';
import { executionsOf, writeFlow } from '../support/commands.ts';
import { killAt } from '../support/kill.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Trial {
  readonly folder: string;
  readonly isMirrored: boolean;
}

function prune(trial: Trial, env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('prune-run', { args: [JSON.stringify(trial)], env });
}

function openIn({ folder, isMirrored }: Trial): Promise<Piton> {
  return open({
    store: `sqlite:${join(folder, 'piton.db')}`,
    durability: 'process',
    ...(isMirrored && { mirror: join(folder, 'mirror') }),
  });
}

/** How the run ends, or the code of the error that refuses it. */
async function runIn(trial: Trial): Promise<string> {
  await using piton = await openIn(trial);
  const definition = await loadWorkflow(join(trial.folder, 'flow.yaml'));
  try {
    const run = await piton.start(definition, { id: 'run', origin: { directory: trial.folder } });
    return (await run.result()).status;
  } catch (thrown) {
    if (!(thrown instanceof PitonError)) throw thrown;
    return thrown.code;
  }
}

async function faultsIn(trial: Trial): Promise<unknown[]> {
  await using piton = await openIn(trial);
  return (await piton.verify()).filter(({ ok }) => !ok);
}

async function endedRun(isMirrored: boolean): Promise<Trial> {
  const trial = { folder: temporaryFolder(), isMirrored };
  writeFlow(trial.folder, [{ name: 'a' }]);
  expect(await runIn(trial)).toBe('succeeded');
  return trial;
}

function copyStore(from: string, to: string): void {
  loseStore(to);
  for (const name of readdirSync(from).filter((each) => each.startsWith('piton.db')))
    cpSync(join(from, name), join(to, name));
}

/** As one who has emptied the folder of the database by mistake. */
function loseStore(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => each.startsWith('piton.db')))
    rmSync(join(folder, name));
}

interface Row {
  readonly point: string;
  /** How often the task has run in the end. */
  readonly times: number;
  /** If the store is lost then. That what was about to go is gone, is as it was wanted. */
  readonly lost: string;
}

const rows: readonly Row[] = [
  { point: 'before:spool.pruning-noted', times: 1, lost: 'RUN_LOST' },
  { point: 'after:spool.pruning-noted', times: 1, lost: 'succeeded' },
  { point: 'store:before-commit', times: 1, lost: 'succeeded' },
  { point: 'store:after-commit', times: 2, lost: 'RUN_LOST' },
  { point: 'before:spool.pruned-removed', times: 2, lost: 'RUN_LOST' },
  { point: 'after:spool.pruned-removed', times: 2, lost: 'RUN_LOST' },
];

test.each(rows.flatMap((row) => [false, true].map((isMirrored) => ({ ...row, isMirrored }))))(
  'killed $point, mirrored: $isMirrored',
  async ({ point, times, lost, isMirrored }) => {
    const trial = await endedRun(isMirrored);
    await killAt(point, (env) => prune(trial, env));
    expect(await faultsIn(trial)).toEqual([]);
    expect(await runIn(trial)).toBe('succeeded');
    expect(executionsOf(trial.folder)).toEqual({ a: times });
    loseStore(trial.folder);
    expect(await runIn(trial)).toBe(lost);
    // Removed once more, whatever is left of it.
    expect(await prune(trial).ended()).toMatchObject({ by: 0 });
    expect(await runIn(trial)).toBe('succeeded');
  },
);

test('a run that was to be removed, and was gone on with instead, is not given up when the store is lost', async () => {
  const trial = { folder: temporaryFolder(), isMirrored: false };
  writeFlow(trial.folder, [{ name: 'a', text: '[ "$(wc -l < ledger)" -gt 1 ] || exit 1' }]);
  expect(await runIn(trial)).toBe('failed');
  await killAt('after:spool.pruning-noted', (env) => prune(trial, env));
  {
    await using piton = await openIn(trial);
    const run = await piton.resume(await loadWorkflow(join(trial.folder, 'flow.yaml')), 'run', {
      redo: ['a'],
    });
    expect(await run.result()).toMatchObject({ status: 'succeeded' });
  }
  loseStore(trial.folder);
  expect(await runIn(trial)).toBe('RUN_LOST');
});

test.each([{ isMirrored: false }, { isMirrored: true }])(
  'an older copy of the store has a run that was removed since: nothing of it is done again before a person says so ($isMirrored)',
  async ({ isMirrored }) => {
    const trial = { folder: temporaryFolder(), isMirrored };
    const older = join(trial.folder, 'older');
    mkdirSync(older);
    writeFlow(trial.folder, [{ name: 'a' }, { name: 'b', needs: ['a'] }]);
    const drive = (env: Readonly<Record<string, string>> = {}): Program =>
      startProgram('drive-commands', { args: [JSON.stringify({ folders: [trial.folder] })], env });
    await killAt('before:attempt.started#2', drive);
    copyStore(trial.folder, older);
    expect(await runIn(trial)).toBe('succeeded');
    expect(await prune(trial).ended()).toMatchObject({ by: 0 });
    copyStore(older, trial.folder);

    expect(await runIn(trial)).toBe('RUN_BEHIND');
    {
      await using piton = await openIn(trial);
      expect(await piton.repair('run')).toMatchObject({ held: ['a', 'b'] });
    }
    expect(executionsOf(trial.folder)).toEqual({ a: 1, b: 1 });
  },
);

test('an older copy of the store has a run under way that was removed since: its last task is not begun anew', async () => {
  const trial = { folder: temporaryFolder(), isMirrored: false };
  const older = join(trial.folder, 'older');
  mkdirSync(older);
  writeFlow(trial.folder, [{ name: 'a' }]);
  const drive = (env: Readonly<Record<string, string>> = {}): Program =>
    startProgram('drive-commands', { args: [JSON.stringify({ folders: [trial.folder] })], env });
  await killAt('after:attempt.spawned#1', drive);
  copyStore(trial.folder, older);
  expect(await runIn(trial)).toBe('succeeded');
  expect(await prune(trial).ended()).toMatchObject({ by: 0 });
  copyStore(older, trial.folder);

  expect(await runIn(trial)).toBe('RUN_BEHIND');
  await using piton = await openIn(trial);
  expect(await piton.verify('run')).toMatchObject([
    { ok: false, reason: expect.stringContaining('was removed') },
  ]);
  expect(await piton.repair('run')).toMatchObject({ held: ['a'] });
  expect(executionsOf(trial.folder)).toEqual({ a: 1 });
});

test('a run that is behind is not removed: what lives of it may be known to the spool alone', async () => {
  const trial = { folder: temporaryFolder(), isMirrored: false };
  const older = join(trial.folder, 'older');
  mkdirSync(older);
  writeFlow(trial.folder, [{ name: 'a', text: '[ "$(wc -l < ledger)" -gt 1 ] || exit 1' }]);
  const definition = await loadWorkflow(join(trial.folder, 'flow.yaml'));
  expect(await runIn(trial)).toBe('failed');
  copyStore(trial.folder, older);
  {
    await using piton = await openIn(trial);
    const run = await piton.resume(definition, 'run', { redo: ['a'] });
    expect(await run.result()).toMatchObject({ status: 'succeeded' });
  }
  copyStore(older, trial.folder);

  // Nor does anybody say that it has failed.
  expect(await runIn(trial)).toBe('RUN_BEHIND');
  await using piton = await openIn(trial);
  const kept = [{ run: 'run', reason: expect.stringContaining('lost its end') }];
  expect(await piton.prune({ runs: ['run'] })).toMatchObject({ runs: 0, kept });
  expect(await piton.prune({ before: Date.now() + 1 })).toMatchObject({ runs: 0, kept });
  await piton.repair('run');
  expect(await piton.prune({ runs: ['run'] })).toMatchObject({ runs: 1 });
});
