import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';
import { played, writeFlow } from './played.ts';

/** A run whose agent is sent back once by its check. */
async function revised(): Promise<Project> {
  const project = newProject();
  const turns = [
    [{ say: 'Nothing to do.' }, { answer: 'done' }],
    [{ expect: 'the key is missing' }, { run: 'touch key' }, { answer: 'found it' }],
  ];
  const check = { run: 'echo looking; test -e key || { echo "the key is missing" >&2; exit 3; }', revise: 2 };
  writeFlow(project, { fix: played(turns, { check }) });
  const { code, stdout } = await project.piton(['run', 'flow', '--id', 'mended']);
  expect(stdout).toContain(
    '✗ fix did not pass its check: looking · the key is missing; revision 1 follows\n',
  );
  expect(stdout).toMatch(/✓ fix \(1 revision\) /);
  expect(code).toBe(0);
  return project;
}

test('a check and a revision are shown wherever one looks: show, status, logs and search', async () => {
  const { piton, json } = await revised();
  expect(await json(['status', 'mended'])).toMatchObject({
    tasks: { fix: { status: 'succeeded', output: 'found it', session: { agent: 'scripted' } } },
  });
  for (const command of ['status', 'show']) {
    const { stdout } = await piton([command, 'mended']);
    expect(stdout).toMatch(/^fix +✓ succeeded +1 revision .*found it$/m);
    expect(stdout).not.toContain('attempt');
  }
  const shown = (await json(['show', 'mended', 'fix'])) as {
    attempts: { kind: string }[];
    checks: object[];
  };
  expect(shown.attempts.map(({ kind }) => kind)).toEqual(['work', 'check', 'revision', 'check']);
  expect(shown.checks).toEqual([
    {
      task: 'fix',
      at: expect.any(Number),
      revision: 1,
      report: expect.stringContaining('the key is missing'),
    },
  ]);
  const { stdout: page } = await piton(['show', 'mended', 'fix']);
  expect(page).toMatch(/^session: \S+ of scripted$/m);
  expect(page).toMatch(/^check failed at .* \(revision 1 follows\):\n(.*\n)* {2}the key is missing$/m);
  expect(page).toMatch(/^attempt +kind +started +took +outcome +agent\n1 +work .* scripted$/m);
  expect(page).toMatch(/^attempt 1 \(check\) wrote to \S+$/m);

  const { stdout: all } = await piton(['logs', 'mended', 'fix']);
  // What the agent was told begins each turn, and holds its part.
  expect(all).toContain('The check did not pass. What it said:');
  const logs = all.replaceAll(/^.*(?:turns|Your work was checked|What it said)[^]*?(?=^.*○)/gm, '');
  const order = [
    'Nothing to do.',
    '── check, attempt 1',
    'looking',
    '✗ the check failed: the agent is to mend it (revision 1)',
  ];
  const places = [...order, '── scripted, attempt 1 (a revision)', 'found it'].map((text) =>
    logs.indexOf(text),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect((await piton(['logs', 'mended', 'fix', '--markdown'])).stdout).toContain(
    '## fix: check, attempt 1\n\n    looking\n',
  );

  const found = (await json(['search', 'KEY IS missing'])) as { role: string }[];
  expect(found.map(({ role }) => role)).toEqual(expect.arrayContaining(['check', 'user']));
});

/** A run whose agent asks for a command that it may not run by itself. */
async function asking(): Promise<Project> {
  const project = newProject();
  const steps = [{ run: 'echo one\ntouch asked' }, { answer: 'made' }];
  writeFlow(project, { make: played([steps], { permissions: 'edit' }) });
  const { code, stdout } = await project.piton(['run', 'flow', '--id', 'ask']);
  expect(stdout).toContain('? make asks whether it may use Shell: echo one touch asked\n');
  expect(stdout).toMatch(/Next: piton approve ask make\n/);
  expect(code).toBe(3);
  return project;
}

test('what an agent asks for is shown with its whole input; approved, it is done in the same session', async () => {
  const { piton, json, folder } = await asking();
  const call = { tool: 'Shell', input: { command: 'echo one\ntouch asked' } };
  expect(await json(['inbox'])).toMatchObject([
    { task: 'make', call, actions: [{ action: 'approve' }, { action: 'reject' }, { action: 'skip' }] },
  ]);
  expect(await json(['status'])).toMatchObject({ tasks: { make: { status: 'held', call } } });
  const whole = /tool: Shell\n +command:\n +echo one\n +touch asked\n/;
  for (const args of [['inbox'], ['status'], ['show', 'ask', 'make']]) {
    expect((await piton(args)).stdout).toMatch(whole);
  }
  const told = await piton(['tell', 'ask', 'make', 'and be quick']);
  expect(told.stdout).toMatch(/make hears it when it is approved\.\nNext: piton approve ask make\n$/);
  expect(existsSync(join(folder, 'asked'))).toBe(false);

  const { code, stdout } = await piton(['approve', 'ask', 'make', '-m', 'says Ada']);
  expect(stdout).toMatch(whole);
  expect(stdout).toContain('» make is told: and be quick\n');
  expect(stdout).toContain('✓ make may use Shell: echo one touch asked (says Ada)\n');
  expect(code).toBe(0);
  expect(existsSync(join(folder, 'asked'))).toBe(true);
  const { attempts } = (await json(['show', 'ask', 'make'])) as { attempts: { session: string }[] };
  expect(new Set(attempts.map(({ session }) => session)).size).toBe(1);
  const { stdout: logs } = await piton(['logs', 'ask', 'make']);
  expect(logs).toMatch(
    /\? asks whether it may use Shell: echo one touch asked .*\n(.*\n)*· \S+@\S+ \(process \d+, .*\) has approved it: says Ada\n/,
  );
});

test('what a terminal would hide is shown to whoever has to decide', async () => {
  const project = newProject();
  const steps = [{ run: 'echo one \u001b] ; touch asked\u0007 \u202ehi' }, { answer: 'made' }];
  writeFlow(project, { make: played([steps], { permissions: 'edit' }) });
  const hidden = String.raw`echo one \u{1b}] ; touch asked\u{7} \u{202e}hi`;
  expect((await project.piton(['run', 'flow', '--id', 'ask'])).stdout).toContain(`use Shell: ${hidden}\n`);
  for (const args of [
    ['inbox'],
    ['status'],
    ['show', 'ask', 'make'],
    ['approve', 'ask', 'make', '--no-drive'],
  ]) {
    expect((await project.piton(args)).stdout).toContain(`command: ${hidden}\n`);
  }
});

test('rejected, the call is not made and the task fails', async () => {
  const { piton, json, folder } = await asking();
  expect(await piton(['reject', 'ask', 'make', '-m', 'never'])).toMatchObject({ code: 1 });
  expect(await json(['status'])).toMatchObject({
    tasks: { make: { status: 'failed', error: { code: 'REJECTED' } } },
  });
  expect(existsSync(join(folder, 'asked'))).toBe(false);
});

test('retry goes on in the session of an agent whose work did not pass, also of a run that has ended; --fresh begins a new one', async () => {
  const project = newProject();
  const check = { run: 'test -e key', revise: 0 };
  writeFlow(project, { fix: played([[{ answer: 'done' }]], { check }) });
  expect(await project.piton(['run', 'flow', '--id', 'again'])).toMatchObject({ code: 1 });
  expect(await project.json(['status'])).toMatchObject({
    tasks: { fix: { error: { code: 'CHECK_FAILED' } } },
  });
  project.write('key', '');
  expect(await project.piton(['retry', 'again', 'fix'])).toMatchObject({ code: 0 });
  expect(await project.piton(['retry', 'again', 'fix', '--fresh', '--redo', '--yes'])).toMatchObject({
    code: 0,
  });
  const { attempts } = (await project.json(['show', 'again', 'fix'])) as {
    attempts: { kind: string; session?: string }[];
  };
  const sessions = attempts.filter(({ kind }) => kind !== 'check').map(({ session }) => session);
  expect(sessions).toHaveLength(3);
  expect(sessions[1]).toBe(sessions[0]);
  expect(sessions[2]).not.toBe(sessions[0]);
});
