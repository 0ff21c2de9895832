/** Whoever is killed between the decision to begin and the beginning leaves a folder of the spool in which nothing has happened. */
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadWorkflow, open, type Piton } from '../../src/index.ts';
import { LocalHeads } from '../../src/spool/local/heads.ts';
import { executionsOf, writeFlow } from '../support/commands.ts';
import { eventually } from '../support/eventually.ts';
import { killAt } from '../support/kill.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function drive(folder: string, env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })], env });
}

function newFlow(): string {
  const folder = temporaryFolder();
  writeFlow(folder, [{ name: 'a' }]);
  return folder;
}

/** All names, also of what is being removed; without the heads and the key. */
function spooledIn(folder: string): string[] {
  const names = readdirSync(join(folder, 'spool'));
  return names.filter((name) => !name.startsWith('.') || name.startsWith('.discarded'));
}

function openIn(folder: string): Promise<Piton> {
  return open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process' });
}

const points = [
  'after:attempt.started',
  'spool:before-prepare',
  'spool:after-raise',
  'spool:after-prepare',
  'spool:before-start',
  'spool:before-nonce',
];

test.each(points)('killed at %s: the next driver leaves only the folder of what has begun', async (point) => {
  const folder = newFlow();
  await killAt(`${point}#1`, (env) => drive(folder, env));
  await drive(folder).ended();
  expect(executionsOf(folder)).toEqual({ a: 1 });
  expect(spooledIn(folder)).toHaveLength(1);
});

test.each(['before', 'after'])('killed again %s it is removed: so does the one after that', async (when) => {
  for (const point of ['after:attempt.started#1', 'spool:after-prepare#1']) {
    const folder = newFlow();
    await killAt(point, (env) => drive(folder, env));
    await killAt(`${when}:spool.unbegun-removed#1`, (env) => drive(folder, env));
    await drive(folder).ended();
    expect(executionsOf(folder)).toEqual({ a: 1 });
    expect(spooledIn(folder)).toHaveLength(1);
  }
});

test('what is about to be prepared by a driver that lives is not made free for it', async () => {
  const folder = newFlow();
  const first = drive(folder, { PITON_STOP_AT: 'spool:before-prepare#1' });
  await using piton = await openIn(folder);
  await eventually(
    'it sleeps',
    async () => (await piton.driver('run').catch(() => undefined))?.stopped === true,
  );
  const run = await piton.resume(await loadWorkflow(join(folder, 'flow.yaml')), 'run', { takeover: true });
  expect(await run.result()).toMatchObject({ status: 'succeeded' });
  const contents = spooledIn(folder).map((name) => readdirSync(join(folder, 'spool', name)));
  expect(contents).toContainEqual(['claim']);
  first.child.kill('SIGKILL');
});

test('whoever lost the end of a journal is not told that the spool lacks what was never begun', async () => {
  const folder = newFlow();
  await killAt('spool:after-prepare#1', (env) => drive(folder, env));
  await killAt('after:spool.unbegun-removed#1', (env) => drive(folder, env));
  const heads = new LocalHeads(join(folder, 'spool'), { store: 'piton.db', isSynced: false });
  expect(await heads.isUnbegun('run')).toBe(true);
  await drive(folder).ended();
  expect(await heads.isUnbegun('run')).toBe(false);
});

test('a run that is pruned takes its folders with it, also that of what never began', async () => {
  const folder = newFlow();
  const spool = join(folder, 'spool');
  await killAt('spool:after-prepare#1', (env) => drive(folder, env));
  const [unbegun = ''] = spooledIn(folder);
  cpSync(join(spool, unbegun), join(folder, 'copy'), { recursive: true });
  await drive(folder).ended();
  cpSync(join(folder, 'copy'), join(spool, unbegun), { recursive: true });
  mkdirSync(join(spool, unbegun, 'claim'));
  await using piton = await openIn(folder);
  await piton.prune({ runs: ['run'] });
  expect(spooledIn(folder)).toEqual([]);
});
