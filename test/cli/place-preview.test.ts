import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';

const flow = {
  name: 'flow',
  inputs: { part: 'string' },
  tasks: {
    fresh: { run: 'make', workspace: 'directory' },
    copy: { run: 'make', workspace: { copy: 'site' }, artifacts: 'dist' },
    whole: { run: 'make', workspace: { copy: '.' } },
    far: { run: 'make', workspace: { remote: 'box' } },
    each: {
      'for-each': { in: [1, 2, 3] },
      run: 'make ${{ item }}',
      workspace: 'worktree',
      pool: 2,
      setup: { ports: 2, caches: '.turbo', copy: '.env' },
      'repository-locks': 'database',
    },
  },
  deliver: { pr: { base: 'main', draft: true, title: 'The ${{ inputs.part }}' }, approval: 'Open it?' },
};

function projectWith(config: string): Project {
  const project = newProject();
  execFileSync('git', ['init', '-q'], { cwd: project.folder });
  project.write('.piton/workflows/flow.yaml', JSON.stringify(flow));
  project.write('.piton/config.yaml', config);
  return project;
}

const known = 'remotes: { box: { host: me@box } }\n';

test('a dry run says which folders, machines and pools tasks work in, and what is delivered', async () => {
  const project = projectWith(known);
  const args = ['run', 'flow', '-i', 'part=roof', '--dry-run'];
  const { stdout } = await project.piton(args);
  expect(stdout).toMatch(/ fresh\n {6}works in an empty folder of its own\n/);
  expect(stdout).toMatch(/ copy\n {6}works in a copy of site\n(?:.*\n)*?.*keeps dist/);
  expect(stdout).toMatch(/ whole\n {6}works in a copy of the folder of the run\n/);
  expect(stdout).toMatch(/ far\n {6}works in a git worktree of its own on box; its work is brought/);
  expect(stdout).toMatch(
    / each\n {6}works in one of 2 places, in turn: a git worktree of its own; .*\n {6}set up first, with a copy of \.env and the shared \.turbo and 2 free ports\n/,
  );
  expect(stdout).toContain('repository-locks database');
  expect(stdout).toMatch(
    / deliver after fresh, copy, whole, far, each\n {6}push the branch of the run, and open a draft of a pull request into main\n {6}title='The roof'\n.*asks for approval: Open it\?/,
  );
  expect(await project.json(args)).toMatchObject({
    levels: [
      [
        { task: 'fresh', places: [{ place: { mode: 'directory', integrates: false } }] },
        { task: 'copy', places: [{ place: { mode: 'directory', copyOf: 'site' } }] },
        { task: 'whole' },
        { task: 'far', places: [{ place: { mode: 'remote', remote: 'box', integrates: true } }] },
        { task: 'each', places: [{ place: { mode: 'worktree' }, pool: 2 }], setup: { ports: 2 } },
      ],
      [{ task: 'deliver', places: [], values: { title: 'The roof' } }],
    ],
  });
});

test('validate and graph say the same in short', async () => {
  const { piton } = projectWith(known);
  const { stdout: valid } = await piton(['validate', 'flow']);
  expect(valid).toContain('    works in empty folders of their own: fresh\n');
  expect(valid).toContain('    works in copies of site: copy\n');
  expect(valid).toContain('    works in git worktrees of their own on box: far\n');
  expect(valid).toContain('    works in git worktrees of their own: each (2 for all items)\n');
  expect(valid).toContain('cannot be taken back: deliver: it opens a pull request, unless there is one;');
  expect(valid).not.toContain('could be better');
  const { stdout: graph } = await piton(['graph', 'flow']);
  expect(graph).toContain(' fresh  (own folder)\n');
  expect(graph).toContain(' copy  (copy of site)\n');
  expect(graph).toContain(' far  (on box)\n');
  expect(graph).toContain(' each  (for each; pool of 2)\n');
  expect(graph).toContain(' deliver  (approval; pull request)  after fresh, copy, whole, far, each\n');
});

test('validate tells of a machine that the project does not know', async () => {
  const { piton } = projectWith('remotes: { box2: { host: me@box } }\n');
  const { stdout, code } = await piton(['validate', 'flow']);
  expect(code).toBe(0);
  expect(stdout).toContain('There is no machine `box` in .piton/config.yaml.');
});

test('outside of git, validate says of what wants worktrees that it would not run', async () => {
  const project = newProject();
  project.write('.piton/workflows/own.yaml', 'name: own\nworkspace: worktree\ntasks: { a: { run: ls } }\n');
  expect((await project.piton(['validate', 'own'])).stdout).toContain('there is no git repository here');
  const { code, stderr } = await project.piton(['run', 'own']);
  expect(stderr).toContain('PREFLIGHT_FAILED');
  expect(code).toBe(2);
  const forced = await project.piton(['run', 'own', '--force']);
  expect([forced.code, forced.stderr]).toEqual([2, expect.stringContaining('GIT_MISSING')]);
});
