import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { newProject, type Project } from './command-line.ts';
import { startPiton, type LiveCommand } from './live-command.ts';
import { played, writeFlow } from './played.ts';

/** A run whose agent works until there is a file `go`; in its second turn it fails unless it has heard this. */
async function working(heard: string): Promise<{ project: Project; driver: LiveCommand }> {
  const project = newProject();
  const turns = [
    [{ edit: { file: 'begun', text: '' } }, { await: 'go' }, { answer: 'first' }],
    [{ expect: heard }, { answer: 'second' }],
  ];
  writeFlow(project, { fix: played(turns), list: { run: 'ls' } });
  const driver = startPiton(project, ['run', 'flow', '--id', 'work']);
  await eventually('it is at work', () => existsSync(join(project.folder, 'begun')));
  return { project, driver };
}

test('a working agent hears a message in its next turn: before that it is shown as not heard, afterwards in the conversation', async () => {
  const { project, driver } = await working('mind the roof');
  const { piton, json } = project;
  const told = await piton(['tell', 'work', 'fix', 'mind', 'the roof']);
  expect(told).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('fix will hear it in its next turn.'),
  });
  expect(await json(['status'])).toMatchObject({ tasks: { fix: { messages: ['mind the roof'] } } });
  expect((await piton(['status'])).stdout).toContain('1 message not heard yet');
  expect((await piton(['show', 'work', 'fix'])).stdout).toContain('told, and not heard yet: mind the roof\n');
  project.write('go', '');
  expect((await driver.ended).code).toBe(0);
  await driver.shows('» fix is told: mind the roof');
  const { stdout } = await piton(['logs', 'work', 'fix']);
  expect(stdout).toContain('» a person says: mind the roof\n');
  expect(await json(['search', 'mind the roof', '--task', 'fix'])).toEqual(
    expect.arrayContaining([expect.objectContaining({ role: 'told', task: 'fix' })]),
  );
});

test('with --now a working agent is stopped for it, and goes on in its session', async () => {
  const { project, driver } = await working('stop that');
  const told = await project.piton(['tell', 'work', 'fix', '--now'], { input: 'stop that\nat once\n' });
  expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('will hear it at once') });
  expect((await driver.ended).code).toBe(0);
  const { attempts } = (await project.json(['show', 'work', 'fix'])) as {
    attempts: { outcome: string; session: string }[];
  };
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['interrupted', 'succeeded']);
  expect(new Set(attempts.map(({ session }) => session)).size).toBe(1);
});

test('where nobody drives the run the message waits, says so, and is heard when it is resumed', async () => {
  const { project, driver } = await working('mind the roof');
  driver.child.kill('SIGINT');
  await driver.ended;
  const { code, stdout } = await project.piton(['tell', 'work', 'fix', '-'], { input: 'mind the roof\n' });
  expect(stdout).toMatch(
    /Nobody drives run work: the message waits, and fix hears it when the run goes on\.\nNext: piton resume work\n$/,
  );
  expect(code).toBe(0);
  project.write('go', '');
  expect((await project.piton(['resume', 'work'])).code).toBe(0);
  expect((await project.piton(['logs', 'work', 'fix'])).stdout).toContain('» a person says: mind the roof');
});

test('a message that nobody could hear is refused: no such task, no agent, settled, empty', async () => {
  const { project, driver } = await working('');
  const { piton } = project;
  const refusal = async (args: string[], input?: string): Promise<unknown> => {
    const { code, stderr } = await piton(['tell', ...args], input === undefined ? {} : { input });
    return [code, stderr];
  };
  expect(await refusal(['work', 'fux', 'hi'])).toEqual([2, expect.stringContaining('Did you mean fix?')]);
  expect(await refusal(['work', 'list', 'hi'])).toEqual([
    2,
    expect.stringContaining('list is not done by an agent'),
  ]);
  expect(await refusal(['work', 'fix', ' '])).toEqual([2, expect.stringContaining('The message is empty')]);
  expect(await refusal(['work', 'fix'], '\n')).toEqual([2, expect.stringContaining('The message is empty')]);
  expect(await refusal(['nobody', 'fix', 'hi'])).toEqual([2, expect.stringContaining('RUN_NOT_FOUND')]);
  project.write('go', '');
  await driver.ended;
  expect(await refusal(['work', 'fix', 'hi'])).toEqual([
    4,
    expect.stringContaining('fix has succeeded: nobody would hear it'),
  ]);
});
