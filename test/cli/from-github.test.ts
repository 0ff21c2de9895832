import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git } from '../support/git-project.ts';
import { newProject, type Project } from './command-line.ts';

const workflow = `name: Checks
on: [push]
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          echo "New: \${{ github.event.issue.title }}" > said
          cat said
  report:
    needs: greet
    runs-on: ubuntu-latest
    steps:
      - uses: codecov/codecov-action@v5
      - run: echo done
`;

function withWorkflow(): Project {
  const project = newProject();
  project.write('.github/workflows/checks.yml', workflow);
  return project;
}

const imported = ['init', '--from-github', '.github/workflows/checks.yml'];
const draftOf = (project: Project): string => join(project.folder, '.piton/workflows/checks.yaml');

test('a draft is written, and what is left is told with lines, also as JSON; each next step works', async () => {
  const project = withWorkflow();
  const { code, stdout } = await project.piton(imported);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `Made .piton/workflows/checks.yaml: 2 tasks from 2 jobs.
Left for you to do (also listed at the top of the file):
  line 4: \`github.event.issue.title\`
      It is an input, and empty unless you give it: \`-i github_event_issue_title=…\`.
  line 15: codecov/codecov-action
      Write the command that it runs, if you need it here.
Not needed here: \`on\` (line 2), actions/checkout (line 7).
Next: piton validate checks
`,
  });
  expect(await project.piton(['validate', 'checks'])).toMatchObject({ code: 0 });
  const json = (await project.json([...imported, '--force'])) as { made: string[]; leftOut: object[] };
  expect(json.made).toEqual(['.piton/workflows/checks.yaml']);
  expect(json.leftOut).toContainEqual({ line: 2, what: '`on`' });
});

test('the draft runs, and what stands in the title of an issue is only said', async () => {
  const project = withWorkflow();
  git(project.folder, 'init', '-q', '-b', 'main');
  git(project.folder, 'add', '.');
  git(project.folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'First');
  await project.piton(imported);
  const title = '"; touch ../../../pwned; echo "$(touch pwned)`touch pwned`';
  const ran = await project.piton(['run', 'checks', '--id', 'r', '-i', `github_event_issue_title=${title}`]);
  expect(ran).toMatchObject({ code: 0 });
  expect((await project.piton(['logs', 'r', 'greet'])).stdout).toContain(`New: ${title}`);
  expect(
    readdirSync(project.folder, { recursive: true }).filter((file) => String(file).includes('pwned')),
  ).toEqual([]);
});

test('nothing is overwritten unless that is asked for', async () => {
  const project = withWorkflow();
  project.write('.piton/workflows/checks.yaml', 'mine');
  const refused = await project.piton(imported);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('checks.yaml is there already, and was not changed.');
  expect(refused.stderr).toContain('piton init --from-github .github/workflows/checks.yml --force');
  expect(readFileSync(draftOf(project), 'utf8')).toBe('mine');
  expect(await project.piton([...imported, '--force'])).toMatchObject({ code: 0 });
  expect(readFileSync(draftOf(project), 'utf8')).toContain('name: checks\n');
});

test.each([
  ['nowhere.yml', undefined, 'There is no file nowhere.yml.'],
  ['folder', undefined, 'cannot be read'],
  ['plain.yml', 'name: x\n', 'It has no `jobs`.'],
  ['broken.yml', 'jobs: { a: ${{ b }} }\n', 'YAML takes the braces'],
  ['bots.yml', 'jobs: { a: { runs-on: x, steps: [{ uses: actions/stale@v9 }] } }\n', 'none of its jobs'],
])('%s is refused, and nothing is made', async (file, text, message) => {
  const project = newProject();
  project.write('folder/x', '');
  if (text !== undefined) project.write(file, text);
  const { code, stderr } = await project.piton(['init', '--from-github', file]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(existsSync(join(project.folder, '.piton/workflows'))).toBe(false);
});

test('a file of any name gives a workflow that can be named', async () => {
  const project = newProject();
  project.write("odd/-it's $(x)\n.yml", workflow);
  const { code, stdout } = await project.piton(['init', '--from-github', "odd/-it's $(x)\n.yml"]);
  expect(code).toBe(0);
  expect(stdout).toContain('Next: piton validate it-s-x\n');
  expect(await project.piton(['validate', 'it-s-x'])).toMatchObject({ code: 0 });
});

test.each(['project:after-draft', 'project:after-written'])(
  'killed at %s, the file is whole or not there, and the next call makes it',
  async (point) => {
    const project = withWorkflow();
    const killed = await project.binary(imported, { env: { PITON_CRASH_AT: point } });
    expect(killed.code).not.toBe(0);
    expect(existsSync(draftOf(project))).toBe(point === 'project:after-written');
    const again = await project.piton([...imported, '--force']);
    expect(again).toMatchObject({ code: 0 });
    expect(await project.piton(['validate'])).toMatchObject({ code: 0 });
  },
);
