/** Questions to people, at the command line. */
import { expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';
import { writeFlow } from './played.ts';

async function asking(ask: object | string, more: Readonly<Record<string, object>> = {}): Promise<Project> {
  const project = newProject();
  writeFlow(project, {
    port: { ask },
    last: { needs: 'port', run: 'echo ${{ needs.port.output }}' },
    ...more,
  });
  const ran = await project.piton(['run', 'flow', '--id', 'r']);
  expect(ran).toMatchObject({ code: 3, stdout: expect.stringContaining('? port asks: Which port?') });
  expect(ran.stdout).toMatch(/Next: piton answer r port\n$/);
  return project;
}

const integer = { question: 'Which port?', type: 'integer' };
const choice = { question: 'Which port?', choices: ['one port', 'two'] };

test('a question is answered, checked before it is sent, goes on with the run, and is shown with who answered', async () => {
  const { piton, json } = await asking(integer);
  expect(await json(['status'])).toMatchObject({
    status: 'held',
    next: 'piton answer r port',
    tasks: { port: { question: { type: 'integer' }, waiting: { for: 'answer' } } },
  });
  const wrong = await piton(['answer', 'r', 'port', 'x']);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('it must be a whole number') });
  expect(wrong.stderr).toContain('piton answer r port 8080');
  const missing = await piton(['answer', 'r', 'port']);
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The answer is missing: a whole number'),
  });
  const approved = await piton(['approve', 'r', 'port']);
  expect(approved).toMatchObject({ code: 4, stderr: expect.stringContaining('piton answer r port') });
  const answered = await piton(['answer', 'r', 'port', '8080', '-m', 'as always']);
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ port is answered: 8080') });
  expect(await json(['status'])).toMatchObject({
    tasks: { port: { output: 8080 }, last: { output: '8080' } },
  });
  const shown = await piton(['show', 'r', 'port']);
  expect(shown.stdout).toMatch(/decided: answered 8080 at .* by /);
  expect((await json(['show', 'r', 'port'])) as object).toMatchObject({
    decisions: [{ decision: 'answered', answer: 8080, comment: 'as always', by: { pid: process.pid } }],
  });
  const again = await piton(['answer', 'r', 'port', '1']);
  expect(again).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('asks no question: it is succeeded'),
  });
});

test('the inbox offers each choice as a command, which is typed as printed', async () => {
  const { piton, json } = await asking(choice);
  const { stdout } = await piton(['inbox']);
  expect(stdout).toContain("piton answer r port 'one port'  # answer it\n");
  expect(stdout).toContain('one of one port, two\n');
  expect(stdout).toMatch(/Next: piton answer r port\n$/);
  expect(await json(['inbox'])).toMatchObject([
    { task: 'port', question: { type: 'choice', choices: ['one port', 'two'] }, actions: [{}, {}, {}, {}] },
  ]);
  expect(await piton(['answer', 'r', 'port', 'one port', '--no-drive'])).toMatchObject({ code: 0 });
  expect((await piton(['inbox'])).stdout).toContain('go on with what was decided: answer');
  expect(await piton(['resume', 'r'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('✓ port is answered: one port'),
  });
});

test('an answer goes on with the file as it is now, if told so', async () => {
  const project = await asking(integer);
  writeFlow(project, { port: { ask: integer }, last: { needs: 'port', run: 'echo other' } });
  const answered = await project.piton(['answer', 'r', 'port', '1', '--accept-drift']);
  expect(answered).toMatchObject({ code: 0, stderr: expect.stringContaining('as it is now: last (run') });
  expect(await project.json(['status'])).toMatchObject({ tasks: { last: { output: 'other' } } });
});

test('what is queued behind a question does not keep the terminal: items, locks, room', async () => {
  const project = newProject();
  writeFlow(project, {
    each: {
      'for-each': { in: ['a', 'b'], 'max-parallel': 1 },
      tasks: { go: { approval: 'go?', run: 'true' } },
    },
    inner: { locks: 'one', tasks: { port: { ask: 'Which port?' } } },
    behind: { locks: 'one', run: 'true' },
  });
  const ran = await project.piton(['run', 'flow', '--id', 'r']);
  expect(ran).toMatchObject({ code: 3, stdout: expect.stringContaining('? each[a].go waits') });
  expect(await project.piton(['approve', 'r', 'each[a].go'])).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('? each[b].go waits'),
  });
});

test('a run whose question has a deadline is driven on: the default becomes the answer', async () => {
  const project = newProject();
  writeFlow(project, { port: { ask: { ...integer, default: 80, deadline: '50ms' } } });
  const ran = await project.piton(['run', 'flow', '--id', 'r']);
  expect(ran).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('takes its default, 80: nobody answered in time'),
  });
  expect((await project.piton(['show', 'r', 'port'])).stdout).toContain('decided: took its default, 80, at ');
});

test('a question that is rejected, or answered by nobody, fails with the reason', async () => {
  const { piton } = await asking(integer);
  expect(await piton(['reject', 'r', 'port', '-m', 'nobody knows'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('nobody knows (REJECTED)'),
  });
  const late = newProject();
  writeFlow(late, { port: { ask: { ...integer, deadline: '50ms' } } });
  expect(await late.piton(['run', 'flow'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('NO_ANSWER'),
  });
});
