import { describe, expect, test } from 'vitest';
import { irreversibleReason } from '../../src/definition/index.ts';
import type { CommandWork, TaskSpec } from '../../src/model/index.ts';
import { messages, parse, parsed, parseProblems, places, refusal, task, workflow } from './support.ts';

async function onlyTask(text: string): Promise<TaskSpec> {
  return (await parsed(`name: w\ninputs: { v: string, list: [string] }\n${text}`)).tasks[0]!;
}

test('every key of a command ends up in the workflow', async () => {
  const { tasks, breakers } = await parsed(`
name: all
inputs: { dir: string }
env: { A: 1, B: 1 }
secrets: TOKEN
breakers: { registry: { failures: 3, cooldown: 10s }, other: { max-cooldown: 1h } }
defaults: { shell: bash, env: { B: 2, C: 2 }, secrets: [KEY] }
tasks:
  build:
    run: make
    env: { C: '\${{ inputs.dir }}' }
    secrets: [KEY, MORE]
    working-directory: '\${{ inputs.dir }}'
    capture: last-line
    approval: Build \${{ inputs.dir }}?
    resources: registry
    errors: [{ exit: 3, class: transient }, { exit: [4, 5], match: /gone/, class: permanent }]
  list:
    run: [ls, -l, '\${{ inputs.dir }}', 3, true]
    output: { files: [string] }
  other: { function: f }
`);
  expect(tasks[0]).toMatchObject({
    approval: 'Build ${{ inputs.dir }}?',
    resources: ['registry'],
    errors: [
      { exit: [3], class: 'transient' },
      { exit: [4, 5], match: '/gone/', class: 'permanent' },
    ],
  });
  expect(tasks.map(({ work }) => work)).toEqual([
    {
      type: 'command',
      run: 'make',
      shell: 'bash',
      env: { A: 1, B: 2, C: '${{ inputs.dir }}' },
      secrets: ['TOKEN', 'KEY', 'MORE'],
      workingDirectory: '${{ inputs.dir }}',
      capture: 'last-line',
    },
    {
      type: 'command',
      run: ['ls', '-l', '${{ inputs.dir }}', '3', 'true'],
      shell: 'sh',
      env: { A: 1, B: 2, C: 2 },
      secrets: ['TOKEN', 'KEY'],
      capture: 'json',
    },
    { type: 'function', function: 'f' },
  ]);
  expect(breakers).toEqual({
    registry: { failures: 3, cooldownMs: 10_000, maxCooldownMs: 1_800_000 },
    other: { failures: 5, cooldownMs: 30_000, maxCooldownMs: 3_600_000 },
  });
});

test.each([
  ['nothing is said', '', 'text'],
  ['the output is text', 'output: string', 'text'],
  ['the output is something else', 'output: { n: integer }', 'json'],
  ['it is said', 'output: { n: integer }, capture: last-line', 'last-line'],
])('what a command prints is captured as it should be when %s', async (_, given, capture) => {
  const { work } = await onlyTask(`tasks: { a: { run: x${given === '' ? '' : `, ${given}`} } }`);
  expect(work).toMatchObject({ capture });
});

test('what a command in a graph prints changes nothing in the state, unless it is JSON', async () => {
  const { tasks } = await parsed(`
name: g
state: { n: 0 }
start: a
graph:
  a: { run: 'echo \${{ state.n }}', next: b }
  b: { run: x, capture: json, next: c }
  c: { run: x, update: { n: '\${{ size(output) }}' }, next: end }
`);
  expect(tasks.map(({ update }) => update)).toEqual([{}, undefined, { n: '${{ size(output) }}' }]);
});

test('hyphens in names are understood in every place of a command', async () => {
  const { tasks } = await parsed(`
name: w
inputs: { all-files: [string] }
tasks:
  build-api: { run: make }
  each:
    needs: build-api
    for-each: { in: '\${{ inputs.all-files }}', as: one-file }
    run: echo \${{ tasks.build-api.output }} \${{ one-file }}
    env: { X: '\${{ one-file }}' }
    approval: 'Go on with \${{ one-file }}?'
    working-directory: '\${{ tasks.build-api.output }}'
  args:
    needs: build-api
    run: [echo, '\${{ tasks.build-api.output }}']
`);
  expect(tasks[1]).toMatchObject({
    approval: 'Go on with ${{ one_file }}?',
    reads: ['build-api'],
    work: {
      workingDirectory: '${{ tasks["build-api"].output }}',
      env: {
        X: '${{ one_file }}',
        PITON_VALUE_1: '${{ tasks["build-api"].output }}',
        PITON_VALUE_2: '${{ one_file }}',
      },
    },
  });
  expect((tasks[2]!.work as CommandWork).run).toEqual(['echo', '${{ tasks["build-api"].output }}']);
});

test('a secret with a wrong name is told where it stands: in the file, the defaults or a task', async () => {
  const problems = await parseProblems(`
name: x
secrets: [A, B]
defaults: { secrets: [C, 1st] }
tasks:
  a: { run: ls, secrets: [A, D, 2nd] }
  b: { run: ls, secrets: 3rd }
  c: { tasks: { d: { run: ls, secrets: [B, 4th] } } }
`);
  expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'defaults.secrets[1]: `1st` cannot be the name of a variable.',
    'tasks.a.secrets[2]: `2nd` cannot be the name of a variable.',
    'tasks.b.secrets: `3rd` cannot be the name of a variable.',
    'tasks.c.tasks.d.secrets[1]: `4th` cannot be the name of a variable.',
  ]);
});

describe('what is wrong with a command is told, with its place', () => {
  test.each([
    ['run: ""', ['There is no command here.']],
    ['run: []', ['There is no command here.']],
    ['run: x, with: { a: 1 }', ['`with` is for functions and workflow files.']],
    ['run: [x], shell: bash', ['A list of a program and its arguments is seen by no shell.']],
    ['run: x, shell: bash -e', ['`bash -e` is not the name or path of a shell.']],
    [
      'function: f, env: { A: 1 }',
      ['`env` is for commands and agents, and this task has neither `run` nor `prompt`.'],
    ],
    ['function: f, shell: bash', ['`shell` is for commands, and this task has no `run`.']],
    ['run: x, function: f', ['`a` is done by `run`; it cannot have `function` too.']],
    ['run: x, env: { 1A: 1 }', ['`1A` cannot be the name of a variable.']],
    [
      'run: x, env: { PITON_RUN: 1 }',
      ["`PITON_RUN` cannot be set: names that begin with `PITON_` are Piton's own."],
    ],
    ['run: x, env: { K: 1 }, secrets: K', ['`K` is a secret, but its value would be written down here.']],
    ['run: x, on-interrupt: continue', ['A command that was interrupted cannot continue: only agents can.']],
    ['run: x, errors: [{ class: transient }]', ['The rule does not say which failures it is about.']],
    [
      'run: x, errors: [{ exit: 0, class: transient }]',
      ['`exit` must be a whole number from 1 to 255; it is 0.'],
    ],
    ['run: x, errors: [{ match: /(/, class: unknown }]', [expect.stringContaining('`/(/` is no pattern')]],
    ['run: [x, "${{ inputs.list }}"]', ['An argument is one text; this is a list.']],
    ['run: "echo ${{ inputs.w }}"', [expect.stringContaining('`w`')]],
    ['run: "echo ${{ tasks.b.output }}"', [expect.stringContaining('There is no task `b`')]],
    ['run: [x, "${{ tasks.b.output }}"]', [expect.stringContaining('There is no task `b`')]],
    ['run: x, env: { A: "${{ tasks.b.output }}" }', [expect.stringContaining('There is no task `b`')]],
    ['run: x, working-directory: "${{ tasks.b.output }}"', [expect.stringContaining('There is no task `b`')]],
    ['run: x, approval: "${{ tasks.b.output }}"', [expect.stringContaining('There is no task `b`')]],
    ['run: "eval ${{ inputs.v }}"', ['`eval` would execute what is in this value.']],
    ['run: "echo ${{ inputs.v"', [expect.stringContaining('never closed')]],
  ])('%s', async (given, expected) => {
    const problems = await parseProblems(
      `{ name: w, inputs: { v: string, list: [string] }, tasks: { a: { ${given} } } }`,
    );
    expect(messages(problems)).toEqual(expected);
  });

  test('with line and column, also inside of text over many lines', async () => {
    const text =
      'name: w\ninputs: { v: string }\ntasks:\n  a:\n    run: |\n      echo hi\n      eval ${{ inputs.v }}\n';
    expect(places(await parseProblems(text))).toEqual(['7:16 `eval` would execute what is in this value.']);
  });

  test('in the defaults or the head of the file it is told there, once', async () => {
    const text = `name: w
env: { A: '\${{ inputs.x }}' }
defaults: { env: { B-C: 1 } }
tasks: { a: { run: x }, b: { run: y } }
`;
    const problems = await parseProblems(text);
    expect(problems.map(({ path, line }) => `${line} ${path}`)).toEqual(['2 env.A', '3 defaults.env.B-C']);
  });
});

test('a command without a schema gives text, one that captures JSON anything', async () => {
  const tasks = 'a: { run: x }, j: { run: x, capture: json }, n: { run: x, output: { n: integer } }';
  const given = (reads: string) =>
    parse(`{ name: w, tasks: { ${tasks}, z: { needs: [a, j, n], function: f, with: '\${{ ${reads} }}' } } }`);
  await expect(given('tasks.a.output + "x"')).resolves.toBeDefined();
  await expect(given('tasks.n.output.n + 1')).resolves.toBeDefined();
  await expect(given('tasks.j.output')).resolves.toBeDefined();
  await expect(given('tasks.a.output.n')).rejects.toThrow('The output of `a` is the text it prints');
  await expect(given('tasks.j.output.n')).rejects.toThrow('has no schema');
});

describe('an interrupted command', () => {
  test.each([
    'git push',
    'git -C x push origin main',
    'cd x && git push',
    'npm publish',
    'pnpm -r publish',
    'cargo publish',
    'twine upload dist/*',
    'gem push x.gem',
    'docker push a/b',
    'kubectl apply -f x',
    'kubectl -n a delete pod b',
    'helm upgrade a b',
    'terraform apply -auto-approve',
    './deploy.sh',
    'make deploy',
    'npm run release',
    'npm run deploy:staging',
    'gh pr create --fill',
    'gh pr merge 3',
    'gh release create v1',
    'aws s3 rm s3://x/y',
    'aws ec2 create-image',
    'gcloud run deploy x',
    'az vm delete',
    'curl -X POST http://x',
    'curl -XDELETE x',
    'curl -d a=b http://x',
    'curl --request PUT x',
    'rm -rf /var/x',
    'rm -rf ~/x',
    'rm -r "$HOME/x"',
    'mail -s x a@b',
    'ssh host reboot',
    'ssh -p 22 host ls',
    'psql -c "insert into x"',
    'mysql -e "DROP TABLE x"',
    'set -e\nnpm test\nnpm publish',
    'git \\\n  push',
    'echo $(git push)',
    'echo "npm publish" | sh',
    'git commit -m x && git push',
    'npm version patch',
    'npx semantic-release',
    'gh api -X POST x',
    'curl -sSX POST x',
    './scripts/release.sh',
    'node scripts/publish.js',
    'psql -f change.sql',
    'kubectl apply --dry-run=none -f x',
  ])('is asked about if it is %j', (run) => {
    expect(irreversibleReason(run)).toMatch(/^(it|by its name|others) /);
    expect(workflow([task('a', { work: { type: 'command', run } })]).tasks[0]!.onInterrupt).toBe('ask');
  });

  test.each([
    'npm test',
    'npm ci',
    'git pull',
    'git add .',
    'git commit -m x',
    'git status\necho push',
    'npm run build',
    'docker build .',
    'kubectl get pods',
    'terraform plan',
    'curl -fsSL http://x',
    'curl -sSo out http://x',
    'rm -rf dist',
    'rm /tmp/x',
    'ssh-keygen -t x',
    'psql -c "select 1"',
    '# git push\nls',
    'gh pr view',
    'aws s3 ls',
    'cargo build --release',
    'cat mail.txt',
    'grep deployment x',
    'git commit -m "deploy"',
    'git stash push',
    'echo "npm publish"',
    'cat deploy.log | grep done',
    'npm run test:deploy',
    'pytest tests/test_deploy.py',
    'cd deploy && make build',
    'npm publish --dry-run',
    'dd if=/dev/zero of=blob bs=1k count=1',
  ])('is restarted if it is %j', (run) => {
    expect(irreversibleReason(run)).toBeUndefined();
    expect(workflow([task('a', { work: { type: 'command', run } })]).tasks[0]!.onInterrupt).toBe('restart');
  });

  test('is recognised as a list of arguments too', () => {
    expect(irreversibleReason(['git', 'push', '--tags'])).toBe('it pushes commits');
  });

  test('that cannot be taken back is not retried, and whoever asks for retries is told so', async () => {
    const suggestions = async (more: string) =>
      messages((await parse(`{ name: w, tasks: { a: { run: git push, retry: 3${more} } } }`)).suggestions);
    expect(await suggestions('')).toEqual(['`a` will not be tried again by itself: it pushes commits.']);
    expect(await suggestions(', on-interrupt: restart')).toEqual([]);
  });

  test('does what its author says', async () => {
    expect((await onlyTask('tasks: { a: { run: git push, on-interrupt: restart } }')).onInterrupt).toBe(
      'restart',
    );
    expect((await onlyTask('tasks: { a: { run: ls, on-interrupt: ask } }')).onInterrupt).toBe('ask');
  });
});

test('a finished workflow with commands is a draft of itself', async () => {
  const first = workflow([
    task('a', { work: { type: 'command', run: "echo '${{ run.id }}'" }, approval: 'Sure?' }),
  ]);
  const { hash: _, ...draft } = first;
  expect(workflow(draft.tasks, draft)).toEqual(first);
});

test('a command that no program could be given is refused', () => {
  const run = 'echo \0 ${{ run.id }}';
  expect(messages(refusal(() => workflow([task('a', { work: { type: 'command', run } })])))).toEqual([
    'No program can be given the character NUL.',
  ]);
});

test('what a command inherits, and where it works, is kept as it was said', () => {
  const [plain, more] = workflow([
    task('plain', { work: { type: 'command', run: 'make' } }),
    task('more', { work: { type: 'command', run: 'make', inheritEnv: ['LANG'], workingDirectory: 'ui' } }),
  ]).tasks.map(({ work }) => work);
  expect(more).toMatchObject({ inheritEnv: ['LANG'], workingDirectory: 'ui' });
  expect(Object.keys(plain!)).not.toEqual(expect.arrayContaining(['inheritEnv']));
  expect(Object.keys(plain!)).not.toEqual(expect.arrayContaining(['workingDirectory']));
});
