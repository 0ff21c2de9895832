/** Processes are killed where what is said of a run, and its limits, are asked for, written down and acted upon. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open, type Run, type RunEvent } from '../../src/index.ts';
import { newProject } from '../cli/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { twoAtATime } from '../support/kill.ts';
import { unlike } from '../support/promises.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function found(run: Run): Promise<unknown> {
  const events: RunEvent[] = await Array.fromAsync(run.history());
  const times = (type: string): number => events.filter((event) => event.type === type).length;
  const { about, limits } = await run.view();
  return {
    about,
    maxParallel: limits?.maxParallel,
    said: times('run.described'),
    set: times('limits.changed'),
  };
}

/** `store:after-commit#1`: it is in the inbox. `#2`: the run is taken. The last: all is done, and nobody was told. */
const idlePoints = [
  'store:before-commit#1',
  'store:after-commit#1',
  'store:after-commit#2',
  'before:run.described#1',
  'before:limits.changed#1',
  'after:run.described#1',
  'after:limits.changed#1',
  'store:before-commit#4',
];

test('piton set of a run that nobody drives, killed anywhere: it holds once, or not at all if it was not asked for', async () => {
  await twoAtATime(idlePoints, async (point) => {
    const project = newProject();
    const tasks = { ask: { approval: 'Go?', run: 'echo asked' } };
    project.write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks }));
    expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(3);
    const args = ['set', 'r', 'name=one', 'label.team=web', 'max-parallel=2'];
    expect((await project.piton(args, { env: { PITON_CRASH_AT: point } })).code).toBeNull();
    // Whoever comes next finds what was asked for, and decides it first.
    expect(await project.piton(['set', 'r', 'name=two'])).toMatchObject({ code: 0 });

    const isAsked = point !== 'store:before-commit#1';
    const wanted = {
      about: isAsked ? { name: 'two', labels: { team: 'web' } } : { name: 'two' },
      maxParallel: isAsked ? 2 : undefined,
      said: isAsked ? 2 : 1,
      set: isAsked ? 1 : 0,
    };
    const harm = await project.withStore(async (piton) => {
      const run = await piton.find('r');
      const [verdict] = await piton.verify('r');
      return [...unlike(wanted, await found(run), point), ...unlike(true, verdict!.ok, point)];
    });
    expect(harm).toEqual([]);
    expect((await project.piton(['approve', 'r', 'ask'])).code).toBe(0);
  });
});

const driverPoints = [
  'before:command.decided#1',
  'before:run.described#1',
  'before:limits.changed#1',
  'after:run.described#1',
  'after:limits.changed#1',
];

function drive(folder: string, env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })], env });
}

/** Each task says when it begins, and waits for `go`. */
function makeFolder(folder: string): void {
  mkdirSync(folder);
  const wait = `echo "$PITON_TASK" >> '${folder}/begun'; until [ -e '${folder}/go' ]; do sleep 0.02; done`;
  const tasks = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { run: wait }]));
  writeFileSync(join(folder, 'flow.yaml'), JSON.stringify({ name: 'flow', 'max-parallel': 1, tasks }));
}

function begun(folder: string): string[] {
  try {
    return readFileSync(join(folder, 'begun'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

test('a driver killed where it writes down what was set: that holds once, is obeyed, and nothing runs twice', async () => {
  const root = temporaryFolder();
  await twoAtATime(driverPoints, async (point) => {
    const folder = join(root, point.replaceAll(/[^a-z0-9]/g, '-'));
    makeFolder(folder);
    const driver = drive(folder, { PITON_CRASH_AT: point });
    await eventually('the first task has begun', () => begun(folder).length === 1);
    {
      await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
      const run = await piton.find('run');
      // The driver dies of it; whoever has asked decides it then, or finds it decided.
      const answer = await run.set({ name: 'one', maxParallel: 3 });
      expect(answer).toEqual({ status: 'accepted', text: 'name is one; max-parallel is 3' });
      expect(await driver.ended()).toMatchObject({ by: 'SIGKILL' });
    }
    const second = drive(folder);
    await eventually('three have begun', () => begun(folder).length === 3);
    writeFileSync(join(folder, 'go'), '');
    await second.ended();

    await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
    const run = await piton.find('run');
    const wanted = { about: { name: 'one' }, maxParallel: 3, said: 1, set: 1 };
    expect(unlike(wanted, await found(run), point)).toEqual([]);
    expect(unlike('succeeded', await run.status(), point)).toEqual([]);
    expect(unlike(['a', 'b', 'c', 'd'], begun(folder).toSorted(), point)).toEqual([]);
  });
});

test('a run killed around its first commit has what was said of it, or is not there', async () => {
  for (const point of ['before:run.created#1', 'after:run.created#1']) {
    const project = newProject();
    project.write(
      '.piton/workflows/flow.yaml',
      JSON.stringify({ name: 'flow', tasks: { a: { run: 'true' } } }),
    );
    const args = ['run', 'flow', '--id', 'r', '--name', 'one', '--label', 'team=web'];
    expect((await project.piton(args, { env: { PITON_CRASH_AT: point } })).code).toBeNull();
    const about = { name: 'one', labels: { team: 'web' } };
    const lines = (await project.json(['list'])) as readonly { about?: unknown }[];
    expect(lines.map((line) => line.about)).toEqual(point.startsWith('after') ? [about] : []);
    expect((await project.piton(args)).code).toBe(0);
    expect(await project.json(['status', 'r'])).toMatchObject({ about, status: 'succeeded' });
  }
});
