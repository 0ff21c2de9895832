import { expect, test } from 'vitest';
import { newProject } from './command-line.ts';
import { parseLines, startPiton } from './live-command.ts';

test('logs show what tasks printed, by task, by attempt and by their last lines, cleaned unless they are wanted raw', async () => {
  const project = newProject();
  const tasks = {
    flaky: {
      run: 'echo "try $PITON_ATTEMPT"; [ "$PITON_ATTEMPT" = 2 ]',
      retry: { attempts: 2, backoff: '10ms' },
    },
    loud: {
      needs: ['flaky'],
      run: String.raw`printf '\033[31mred\033[0m\a\n'; echo warn >&2; seq 3; printf end`,
    },
  };
  project.write('talk.yaml', JSON.stringify({ name: 'talk', tasks }));
  expect((await project.piton(['run', 'talk.yaml', '--id', 'talk'])).code).toBe(0);
  const logs = async (...args: string[]): Promise<string> => (await project.piton(['logs', ...args])).stdout;
  const all = await logs();
  expect(all.split('\n').slice(0, 2)).toEqual(['flaky │ try 1', 'flaky (2) │ try 2']);
  expect(all).toContain('loud  │ red\n');
  expect(all).toContain('loud  │ warn\n');
  expect(all.endsWith('loud  │ end\n')).toBe(true);
  expect(await logs('talk', 'flaky')).toBe('try 1\ntry 2\n');
  expect(await logs('talk', 'flaky', '--attempt', '1')).toBe('try 1\n');
  expect(await logs('talk', 'loud', '--tail', '2')).toMatch(/\nend\n$|^3\nend\n$/);
  expect(await logs('talk', 'loud', '--raw')).toContain('\u001b[31mred\u001b[0m\u0007\n');
  const events = parseLines(await logs('talk', 'flaky', '--json'));
  expect(new Set(events.map(({ task }) => task))).toEqual(new Set(['flaky']));
  expect(events.at(-1)!.type).toBe('task.succeeded');
});

test('a line without end is printed in pieces, and counts as one of the last lines', async () => {
  const project = newProject();
  const run = `seq 3; head -c 2500000 /dev/zero | tr '\\0' x`;
  project.write('long.yaml', JSON.stringify({ name: 'long', tasks: { long: { run, capture: 'none' } } }));
  expect((await project.piton(['run', 'long.yaml', '--id', 'long'])).code).toBe(0);
  const { stdout } = await project.piton(['logs', 'long', 'long', '--tail', '2']);
  const [first, ...pieces] = stdout.trimEnd().split('\n');
  expect(first).toBe('3');
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe('x'.repeat(2_500_000));
});

test('a task that the run does not have is named with the one that was probably meant', async () => {
  const project = newProject();
  project.write('talk.yaml', JSON.stringify({ name: 'talk', tasks: { hello: { run: 'echo' } } }));
  await project.piton(['run', 'talk.yaml']);
  const [{ run }] = (await project.json(['list'])) as [{ run: string }];
  const { code, stderr } = await project.piton(['logs', run.slice(0, 6), 'helo']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean hello?')]);
});

test('much output is printed as fast as it is read, its last lines are found, and a reader may go away', async () => {
  const project = newProject();
  const tasks = { print: { run: 'seq 1000000', capture: 'last-line' } };
  project.write('much.yaml', JSON.stringify({ name: 'much', tasks }));
  expect((await project.piton(['run', 'much.yaml', '--id', 'much'])).code).toBe(0);
  const { stdout } = await project.piton(['logs', 'much', 'print', '--tail', '3']);
  expect(stdout).toBe('999998\n999999\n1000000\n');
  const all = await project.piton(['logs', 'much', 'print']);
  expect(all.stdout.length).toBe(6_888_896);
  const leaving = startPiton(project, ['logs', 'much', 'print']);
  await leaving.shows('1000\n');
  leaving.child.stdout!.destroy();
  expect(await leaving.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
});
