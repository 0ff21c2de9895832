/** What became of attempts that the journal has lost, if people decide about their tasks before they are taken up. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { identityOf, livenessOf } from '../../src/base/index.ts';
import { loadWorkflow, open, type Piton, type Run } from '../../src/index.ts';
import { executionsOf } from '../support/commands.ts';
import { killAt } from '../support/kill.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function openIn(folder: string): Promise<Piton> {
  return open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process', graceMs: 300 });
}

function drive(folder: string, env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })], env });
}

function copyStore(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const isStore = (name: string): boolean => name.startsWith('piton.db');
  for (const name of readdirSync(to).filter(isStore)) rmSync(join(to, name));
  for (const name of readdirSync(from).filter(isStore)) cpSync(join(from, name), join(to, name));
}

/** A zombie is dead: whose wrapper was killed is reaped by nobody of ours. */
function isAlive(pid: number): boolean {
  const identity = identityOf(pid);
  return identity !== undefined && livenessOf(identity) === 'alive';
}

/** `b` lives, and the journal has lost that it ever began; it was repaired since. */
async function repairedRun(more = ''): Promise<{ readonly folder: string; readonly pid: number }> {
  const folder = temporaryFolder();
  const trace = 'printf "%s\\n" "$PITON_TASK" >> ledger';
  const b = { run: `${more}echo $$ > pid; ${trace}; sleep 60`, needs: ['a'], 'on-interrupt': 'ask' };
  const flow = { name: 'flow', tasks: { a: { run: trace }, b } };
  writeFileSync(join(folder, 'flow.yaml'), JSON.stringify(flow));
  await killAt('before:attempt.started#2', (env) => drive(folder, env));
  const older = join(folder, 'older');
  copyStore(folder, older);
  await killAt('after:attempt.spawned#1', (env) => drive(folder, env));
  copyStore(older, folder);
  const pid = await pidIn(folder);
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  await using piton = await openIn(folder);
  expect(await piton.repair('run')).toMatchObject({ takenUp: ['b'] });
  return { folder, pid };
}

async function pidIn(folder: string): Promise<number> {
  let text = '';
  await expect.poll(() => (text = readIfThere(join(folder, 'pid')))).toMatch(/\n$/);
  return Number(text);
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const decisions: Record<string, (run: Run) => Promise<unknown>> = {
  skip: (run) => run.skip('b'),
  cancel: (run) => run.cancel(),
};

test.each([
  ['skip', 'succeeded'],
  ['cancel', 'cancelled'],
] as const)('after a %s of the run nothing of what was not taken up lives', async (decision, status) => {
  const { folder, pid } = await repairedRun();
  await using piton = await openIn(folder);
  await decisions[decision]!(await piton.find('run'));
  expect(isAlive(pid)).toBe(true);
  const run = await piton.start(await loadWorkflow(join(folder, 'flow.yaml')), {
    id: 'run',
    origin: { directory: folder },
  });
  expect(await run.result()).toMatchObject({ status });
  expect(isAlive(pid)).toBe(false);
  expect(await piton.verify('run')).toMatchObject([{ ok: true }]);
});

test.each([
  ['skip', 'succeeded'],
  ['cancel', 'cancelled'],
] as const)('nor does it after a %s if its wrapper was killed', async (decision, status) => {
  const { folder, pid } = await repairedRun('echo $PPID > wrapper; ');
  process.kill(Number(readFileSync(join(folder, 'wrapper'), 'utf8')), 'SIGKILL');
  {
    await using piton = await openIn(folder);
    await decisions[decision]!(await piton.find('run'));
  }
  expect(await drive(folder).ended()).toMatchObject({ lines: ['driving', `ended ${status}`] });
  expect(isAlive(pid)).toBe(false);
});

test('what was prepared before, and not begun, does not begin after its task was skipped', async () => {
  const folder = temporaryFolder();
  const trace = 'printf "%s\\n" "$PITON_TASK" >> ledger';
  const flow = { name: 'flow', tasks: { a: { run: trace }, b: { run: trace, needs: ['a'] } } };
  writeFileSync(join(folder, 'flow.yaml'), JSON.stringify(flow));
  await killAt('before:attempt.started#2', (env) => drive(folder, env));
  copyStore(folder, join(folder, 'older'));
  await killAt('spool:after-prepare#1', (env) => drive(folder, env));
  copyStore(join(folder, 'older'), folder);
  await using piton = await openIn(folder);
  expect(await piton.repair('run')).toMatchObject({ takenUp: ['b'] });
  await (await piton.find('run')).skip('b');
  expect(await drive(folder).ended()).toMatchObject({ lines: ['driving', 'ended succeeded'] });

  const attempts = readdirSync(join(folder, 'spool')).filter((name) => !name.startsWith('.'));
  const claims = attempts.map((name) => existsSync(join(folder, 'spool', name, 'claim')));
  expect(claims).toEqual([true, true]);
});

test.each([
  ['skip', 'before:spool.leftover-ended', 'succeeded'],
  ['skip', 'after:spool.leftover-ended', 'succeeded'],
  ['skip', 'after:task.skipped', 'succeeded'],
  ['cancel', 'before:spool.leftover-ended', 'cancelled'],
  ['cancel', 'after:spool.leftover-ended', 'cancelled'],
  ['cancel', 'after:run.cancelled', 'cancelled'],
] as const)('%s, killed %s: it ends as decided, and nothing lives', async (decision, point, status) => {
  const { folder, pid } = await repairedRun();
  {
    await using piton = await openIn(folder);
    await decisions[decision]!(await piton.find('run'));
  }
  await killAt(point, (env) => drive(folder, env));
  expect(isAlive(pid)).toBe(point.startsWith('before:'));
  expect(await drive(folder).ended()).toMatchObject({ lines: ['driving', `ended ${status}`] });
  expect(isAlive(pid)).toBe(false);
  expect(executionsOf(folder)).toEqual({ a: 1, b: 1 });
});

test('what came of a retry that was lost is taken up when an ended run is retried once more', async () => {
  const folder = temporaryFolder();
  const older = join(folder, 'older');
  const text = 'printf "%s\\n" "$PITON_TASK" >> ledger; [ "$(wc -l < ledger)" -gt 1 ]; exit $?';
  writeFileSync(join(folder, 'flow.yaml'), JSON.stringify({ name: 'flow', tasks: { b: { run: text } } }));
  const definition = await loadWorkflow(join(folder, 'flow.yaml'));
  {
    await using piton = await openIn(folder);
    const failing = await piton.start(definition, { id: 'run', origin: { directory: folder } });
    expect(await failing.result()).toMatchObject({ status: 'failed' });
  }
  copyStore(folder, older);
  const retried = async (): Promise<unknown> => {
    await using piton = await openIn(folder);
    const run = await piton.resume(definition, 'run', { redo: ['b'] });
    return await run.result();
  };
  expect(await retried()).toMatchObject({ status: 'succeeded' });
  copyStore(older, folder);
  await expect(retried()).rejects.toMatchObject({ code: 'RUN_BEHIND' });
  {
    await using piton = await openIn(folder);
    await piton.repair('run');
  }
  expect(await retried()).toMatchObject({ status: 'succeeded' });
  expect(executionsOf(folder)).toEqual({ b: 2 });
});

test('what has left no folder is held, if the spool tells of what came after it', async () => {
  const folder = temporaryFolder();
  const older = join(folder, 'older');
  const run = 'printf "%s\\n" "$PITON_TASK" >> ledger';
  const maybe = { run, needs: ['a'], if: '${{ tasks.a.output == "never" }}' };
  const tasks = {
    a: { run },
    b: { run, needs: ['a'] },
    maybe,
    c: { run, needs: ['b'] },
    d: { run, needs: ['c'] },
  };
  writeFileSync(join(folder, 'flow.yaml'), JSON.stringify({ name: 'flow', tasks }));
  await killAt('before:attempt.started#2', (env) => drive(folder, env));
  copyStore(folder, older);
  expect(await drive(folder).ended()).toMatchObject({ lines: ['driving', 'ended succeeded'] });
  copyStore(older, folder);
  const spool = join(folder, 'spool');
  for (const attempt of readdirSync(spool).filter((name) => !name.startsWith('.'))) {
    const { task } = JSON.parse(readFileSync(join(spool, attempt, 'attempt.json'), 'utf8')) as {
      task: string;
    };
    if (task === 'b' || task === 'c') rmSync(join(spool, attempt), { recursive: true });
  }

  await using piton = await openIn(folder);
  expect(await piton.repair('run')).toMatchObject({ held: ['b', 'c'], takenUp: ['d'] });
  expect(executionsOf(folder)).toEqual({ a: 1, b: 1, c: 1, d: 1 });
});
