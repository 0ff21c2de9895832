import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject } from './cli/command-line.ts';
import { library } from './support/built.ts';
import { eventually } from './support/eventually.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const expected: Record<string, string> = {
  'order.ts': `task.succeeded reserve
task.delayed charge
task.succeeded pack
task.succeeded charge
task.succeeded send
succeeded packed, paid by ada, sent
`,
  'refine.ts': `round 2 of write
round 2 of review
round 3 of write
round 3 of review
A start. Better: more than 8 letters. Better: more than 37 letters.
after the first step: A start.
`,
  'test-packages.ts': `succeeded { failed: 1 }
[
  'Tested 3 packages',
  'core succeeded',
  'ui succeeded',
  'docs failed'
]
`,
};

/** A copy that imports what is tested. */
function copied(name: string): string {
  const folder = temporaryFolder();
  cpSync('examples', folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const file = join(folder, name);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`'piton'`, JSON.stringify(library)));
  return file;
}

test('every example program is tried here', () => {
  expect(
    globSync('examples/*.ts')
      .map((file) => file.slice('examples/'.length))
      .toSorted(),
  ).toEqual(['follow-runs.ts', ...Object.keys(expected)]);
});

test.for(Object.entries(expected))(
  'examples/%s prints what it should, also when it is run again',
  ([name, output]) => {
    const file = copied(name);
    const folder = dirname(file);
    const run = (): string => execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
    expect([run(), run()]).toEqual([output, output]);
  },
);

test('examples/follow-runs.ts goes on after the last change that it printed, over kills of the driver and its own', async () => {
  const project = newProject();
  const steps = ['a', 'b', 'c', 'd'].map((name, index, names) => {
    const needs = index === 0 ? [] : [names[index - 1]];
    return [name, { run: 'true', needs }];
  });
  const flow = { name: 'flow', tasks: Object.fromEntries(steps) };
  project.write('.piton/workflows/flow.yaml', JSON.stringify(flow));
  const file = copied('follow-runs.ts');
  const printed: string[] = [];
  const follow = () => {
    const args = [file, `sqlite:${project.folder}/.piton/piton.db`, join(dirname(file), 'cursor')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed.push(...text.split('\n').filter((line) => line !== ''));
    });
    return child;
  };
  const die = (place: string) =>
    project.binary(['run', 'flow', '--id', 'r1'], { env: { PITON_CRASH_AT: place } });

  expect((await die('after:task.succeeded#1')).code).toBe(null);
  const first = follow();
  await eventually('what is there is listed', () => printed.includes('r1  flow  interrupted  1/4'));
  expect((await die('after:task.succeeded#1')).code).toBe(null);
  // Perhaps before its driver was found to be dead, which is no change.
  await eventually('the next step is seen', () => printed.some((line) => /^r1  flow  \w+  2\/4$/.test(line)));
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect((await project.binary(['resume', 'r1'])).code).toBe(0);

  const before = printed.length;
  const second = follow();
  await eventually('the end is seen', () => printed.includes('r1  flow  succeeded  4/4'));
  // What it was not told before is told: each commit since, and nothing is listed again.
  const { seq } = await project.withStore(async (piton) => (await piton.find('r1')).view());
  const told = await project.withStore(async (piton) => {
    const cursor = await piton.newestCursor();
    const seen: number[] = [];
    for await (const change of piton.changes()) {
      seen.push(change.seq!);
      if (change.cursor === cursor) break;
    }
    return seen;
  });
  expect(told).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
  second.kill('SIGTERM');
  expect(await once(second, 'exit')).toEqual([0, null]);
  expect(printed.slice(before).at(-1)).toBe('r1  flow  succeeded  4/4');
  expect((await project.piton(['list'])).stdout).toContain('succeeded');

  expect(await project.withStore((piton) => piton.prune({ runs: ['r1'] }))).toMatchObject({ runs: 1 });
  const third = follow();
  await eventually('the removal is told', () => printed.includes('r1  removed'));
  third.kill('SIGTERM');
  await once(third, 'exit');
});
