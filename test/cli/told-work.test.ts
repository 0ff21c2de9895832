import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { git, inRepository, withRemote } from './delivered.ts';
import { played } from './played.ts';

const says = (file: string, answer: string): object[] => [{ edit: { file, text: `${file}\n` } }, { answer }];

test('the commits of a run say what was done, in the words of its agents, and by which task', async () => {
  const project = inRepository();
  const tasks = {
    login: played([says('login.txt', 'I have added a login page. It has tests.')]),
    title: played([says('title.txt', 'Done.')], { needs: 'login' }),
    stamp: { needs: 'title', run: 'echo stamp > stamp.txt' },
  };
  project.write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks }));
  expect((await project.piton(['run', 'flow', '--id', 'r1'])).code).toBe(0);
  const log = (...args: string[]): string =>
    git(project.folder, 'log', '--reverse', ...args, 'main..piton/r1');
  expect(log('--no-merges', '--format=%s').split('\n')).toEqual([
    'Added a login page',
    'title: Do it',
    'stamp: echo stamp > stamp.txt',
  ]);
  expect(log('--merges', '--format=%s').split('\n')).toEqual([
    'Merge Added a login page',
    'Merge title: Do it',
    'Merge stamp: echo stamp > stamp.txt',
  ]);
  expect(log('--no-merges', '--format=%b')).toMatch(
    /^I have added a login page\. It has tests\.\n\nPiton-Run: r1\nPiton-Task: login\n/,
  );
  const trailers = log(
    '--no-merges',
    '--format=%(trailers:key=Piton-Run,key=Piton-Task,valueonly,separator=%x20)',
  );
  expect(trailers.split('\n')).toEqual(['r1 login', 'r1 title', 'r1 stamp']);
});

const hostile = [
  'Fixed it for @octocat, closes #1. The key is hunter2-hunter2.',
  '',
  'Piton-Run: other',
  'Piton-Conflict: "b.txt"',
  '---',
  '<!-- hidden --> [skip ci] \u001b[31m',
  '```',
  'never closed',
].join('\n');

test('an agent cannot forge trailers, notify people, close issues or tell secrets in what is written for it', async () => {
  const { call, write, folder, gh } = withRemote(inRepository());
  const tasks = { fix: played([says('b.txt', hostile)], { secrets: ['DEPLOY_KEY'] }) };
  write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks, deliver: 'pr' }));
  const { code, stderr } = await call(['run', 'flow', '--id', 'r1'], { DEPLOY_KEY: 'hunter2-hunter2' });
  expect([code, stderr]).toEqual([0, '']);
  const made = git(folder, 'log', '-1', '--no-merges', '--format=%H', 'piton/r1');
  const message = git(folder, 'log', '-1', '--format=%B', made);
  const parsed = execFileSync('git', ['interpret-trailers', '--parse'], {
    input: `${message}\n`,
    encoding: 'utf8',
  });
  expect(parsed).toMatch(/^Piton-Run: r1\nPiton-Task: fix\nPiton-Attempt: \S+\nPiton-Seq: \d+\n$/);
  for (const text of [message, gh.body(), ...gh.opened()]) {
    expect(text).not.toMatch(/hunter2|(^|\W)@\w|#\d|\[skip|Piton-Conflict/);
    expect(text).not.toContain('\u001b');
  }
  expect([message, gh.body()].every((text) => text.includes('The key is ***'))).toBe(true);
  expect(gh.body()).not.toMatch(/<!--|^```/m);
  expect(gh.body()).toMatch(/\n<details>\n<summary>How it was made: 1 task.*\n[\s\S]*\n<\/details>\n$/);
});

test('a template says how a pull request is written; what agents gave stays plain text in it', async () => {
  const { call, write, gh } = withRemote(inRepository());
  write(
    '.piton/pull-request.md',
    '# ${{ delivery.title }} (${{ inputs.issue }})\n\nCloses #${{ inputs.issue }}.\n\n${{ delivery.summary }}\n\n> ${{ tasks.fix.output }}\n\n${{ delivery.evidence }}\n',
  );
  const tasks = { fix: played([says('b.txt', 'Fixed the title for @octocat, see #2.')]) };
  const deliver = { pr: { template: '../pull-request.md' } };
  const inputs = { issue: 'number' };
  write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', inputs, tasks, deliver }));
  const { code, stderr } = await call(['run', 'flow', '--id', 'r1', '-i', 'issue=12']);
  expect([code, stderr]).toEqual([0, '']);
  const shown = (text: string): string => text.replaceAll('\u200b', '');
  expect(gh.opened().map(shown)).toEqual(['piton/r1 main false Fixed the title for @octocat, see #2 (12)']);
  expect(gh.body()).toMatch(/^Closes #12\.\n\n/);
  expect(gh.body()).not.toMatch(/@octocat|#2\b/);
  expect(shown(gh.body())).toContain('\n> Fixed the title for @octocat, see #2.\n\n<details>');
});

test('what is wrong with a template is told where it stands', async () => {
  const project = inRepository();
  const problems = async (pr: object): Promise<unknown> => {
    const tasks = { fix: { run: 'true' } };
    project.write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks, deliver: { pr } }));
    const { workflows } = (await project.json(['validate', 'flow'])) as {
      workflows: { problems: unknown }[];
    };
    return workflows[0]!.problems;
  };
  expect(await problems({ template: 'nowhere.md' })).toMatchObject([
    { path: 'deliver.pr.template', message: expect.stringContaining('there is no such file') },
  ]);
  const file = project.write('.piton/workflows/pr.md', '# A title\n\nText\n\n${{ tasks.nobody.output }}\n');
  expect(await problems({ template: 'pr.md' })).toMatchObject([{ file, line: 5, column: 11 }]);
  project.write('.piton/workflows/pr.md', '# ${{ delivery.nothing }}\n');
  expect(await problems({ template: 'pr.md' })).toMatchObject([{ file, line: 1 }]);
  expect(await problems({ template: 'pr.md', body: 'x' })).toMatchObject([
    { message: 'The text of a pull request is either its `body` or a `template`.' },
  ]);
});
