import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';
import { releaseFile } from './workflows-of-tests.ts';

const good = `name: good
inputs: { who: { type: string, default: all } }
tasks:
  build: { run: make, retry: { attempts: 3 } }
  ship: { needs: build, run: git push origin main }
  greet: { needs: build, run: 'echo \${{ inputs.who }}', approval: Really? }
  after: { needs: [ship, greet], if: always(), run: echo }
`;
const bad = `name: bad
tasks:
  build: { needs: tset, run: make }
  test: { run: make test, retyr: { attempts: 2 } }
`;
const turning = `name: turning
state: { ok: false }
start: write
graph:
  write: { run: echo, next: review }
  review: { run: echo, next: [{ if: state.ok, to: end }, { to: write }] }
`;

function withFiles(): Project {
  const project = newProject();
  project.write('.piton/workflows/good.yaml', good);
  project.write('.piton/workflows/turning.yml', turning);
  project.write('.piton/workflows/release.mjs', releaseFile);
  return project;
}

test('validate looks at all workflows of the project, tells what cannot be taken back and the worst case', async () => {
  const { piton, json } = withFiles();
  expect(await json(['validate'])).toMatchObject({
    ok: true,
    workflows: [
      {
        name: 'good',
        ok: true,
        tasks: 4,
        attempts: 6,
        irreversible: [{ task: 'ship', onInterrupt: 'ask', reason: expect.any(String) }],
      },
      { name: 'release', tasks: 4, attempts: 5 },
      { name: 'turning', tasks: 2 },
    ],
  });
  const { stdout, code } = await piton(['validate', 'good']);
  expect(code).toBe(0);
  expect(stdout).toContain('4 tasks, at most 6 attempts');
  expect(stdout).toMatch(/cannot be taken back: ship: .*held for a person \(on-interrupt: ask\)/);
});

test('validate tells all problems of a file with their places, and ends with 2', async () => {
  const { piton, write } = withFiles();
  write('elsewhere/bad.yaml', bad);
  const { code, stdout } = await piton(['validate', 'elsewhere/bad.yaml', 'good']);
  expect(code).toBe(2);
  expect(stdout).toMatch(/elsewhere\/bad\.yaml:3:\d+ .*tset/);
  expect(stdout).toMatch(/elsewhere\/bad\.yaml:4:\d+ .*retyr.*retry/);
  expect(stdout).toContain('✓ good');
  const elsewhere = await piton(['graph', 'elsewhere/bad.yaml']);
  expect(elsewhere.code).toBe(2);
  expect(elsewhere.stderr).toMatch(/bad\.yaml:3:\d+ .*\n.*bad\.yaml:4:\d+ .*\n.*\(DEFINITION_INVALID\)/s);
  const asJson = await piton(['validate', 'elsewhere/bad.yaml', '--json']);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    ok: false,
    workflows: [{ ok: false, problems: [{ line: 3 }, { line: 4 }] }],
  });
});

test('a workflow is found by name or path; what is not there is named with the nearest', async () => {
  const { piton, folder, write } = withFiles();
  const misspelt = await piton(['graph', 'godo']);
  expect(misspelt).toMatchObject({ code: 2, stderr: expect.stringContaining('WORKFLOW_NOT_FOUND') });
  expect((await piton(['graph', 'goood'])).stderr).toContain('Did you mean good?');
  expect((await piton(['graph', './no.yaml'])).stderr).toContain('There is no workflow file ./no.yaml');
  expect((await piton(['graph', join(folder, '.piton/workflows/good.yaml')])).code).toBe(0);
  write('.piton/workflows/good.ts', releaseFile);
  const twice = await piton(['graph', 'good']);
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('WORKFLOW_AMBIGUOUS') });
  expect((await piton(['graph', 'good.yaml'])).code).toBe(0);
});

test('a module that exports no workflow, or cannot be imported, is refused with the reason', async () => {
  const { binary, write } = newProject();
  write('none.mjs', 'export const a = 1;');
  write('other.mjs', 'export default 7;');
  write('broken.ts', 'export default (;');
  write('never.mjs', 'await new Promise(() => {}); export default 7;');
  const answers = await Promise.all(
    ['none.mjs', 'other.mjs', 'broken.ts', 'never.mjs'].map((file) => binary(['graph', file])),
  );
  expect(answers.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  expect(answers[0]!.stderr).toContain('it exports nothing as its default');
  expect(answers[1]!.stderr).toContain('it exports something else as its default');
  expect(answers[2]!.stderr).toContain('broken.ts cannot be imported');
  expect(answers[3]!.stderr).toContain(
    'never.mjs cannot be imported: it awaits something that never happens',
  );
});

test('what validate says to do next can be typed, also for files elsewhere and names with spaces', async () => {
  const { piton, write } = newProject();
  const text = 'name: flow\ntasks: { a: { run: echo } }\n';
  write('.piton/workflows/my flow.yaml', text);
  write('else where/flow.yaml', text);
  const nextOf = async (...args: string[]): Promise<string | undefined> =>
    /^Next: (.*)$/m.exec((await piton(args)).stdout)?.[1];
  expect(await nextOf('validate')).toBe("piton run 'my flow'");
  expect(await nextOf()).toBe("piton run 'my flow'");
  expect(await nextOf('validate', 'else where/flow.yaml')).toBe("piton run './else where/flow.yaml'");
});

test('piton alone offers to run what was run last, rather than the first by name, which may be unfinished', async () => {
  const { piton, write, json } = newProject();
  write('.piton/workflows/draft.yaml', 'name: draft\ntasks: { a: { rum: ls } }\n');
  write('.piton/workflows/works.yaml', 'name: works\ntasks: { a: { run: ls } }\n');
  await piton(['run', 'works']);
  expect(await json([])).toMatchObject({ next: 'piton run works' });
});

test('a file that calls functions is valid, but what cannot run by itself is neither run nor offered to be', async () => {
  const { piton, write } = newProject();
  write('calls.yaml', 'name: calls\ntasks: { a: { function: send-mail } }\n');
  const valid = await piton(['validate', 'calls.yaml']);
  expect(valid).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\nNext: piton graph \.\/calls\.yaml\n$/),
  });
  const { code, stderr } = await piton(['run', 'calls.yaml']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('calls functions (send-mail)')]);
  expect(stderr).toContain("loadWorkflow(import.meta.dirname + '/calls.yaml', { 'send-mail': … })");
  // What is wrong besides is told as before.
  write('calls.yaml', 'name: calls\ntasks: { a: { function: send-mail, retyr: 3 } }\n');
  expect((await piton(['run', 'calls.yaml'])).stderr).toContain('retyr');
});

test('graph draws tasks by levels, graphs by edges, and both as Mermaid and JSON', async () => {
  const { piton, json } = withFiles();
  const { stdout } = await piton(['graph', 'good']);
  expect(stdout.split('\n')).toEqual([
    'good',
    '●─ build  (3 attempts)',
    '│',
    '┌─ ship  after build',
    '└─ greet  (approval)  after build',
    '│',
    '▼─ after  (if always())  after ship, greet',
    '',
    'Next: piton run good',
    '',
  ]);
  expect((await piton(['graph', 'turning'])).stdout).toContain(
    'review\n  ├─▶ end  if state.ok\n  └─▶ write\n',
  );
  expect((await piton(['graph', 'good', '--mermaid'])).stdout.split('\n')).toEqual([
    'flowchart TD',
    '  t0["build"]',
    '  t1["ship"]',
    '  t2{{"greet"}}',
    '  t3["after"]',
    '  t0 --> t1',
    '  t0 --> t2',
    '  t1 --> t3',
    '  t2 --> t3',
    '',
  ]);
  expect(await json(['graph', 'turning'])).toMatchObject({
    workflow: 'turning',
    form: 'graph',
    edges: [
      { from: 'start', to: 'write' },
      { from: 'write', to: 'review' },
      { from: 'review', to: 'end', if: 'state.ok' },
      { from: 'review', to: 'write' },
    ],
  });
});
