/** Workflows of GitHub Actions as drafts: what is translated, what is left out, and that nothing of it is executed or copied that must not be. */
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { draftFromGithub, parseWorkflow } from '../../src/definition/index.ts';

const source = { file: '.github/workflows/ci.yml', name: 'ci' };

async function draft(text: string): Promise<{ yaml: string; todos: string[]; dropped: string[] }> {
  const { yaml, leftOut } = await draftFromGithub(text, source);
  // A draft that does not validate would be none.
  await parseWorkflow(yaml, { file: 'ci.yaml', read: () => '' });
  return {
    yaml: yaml.replace(/^(#.*\n)+\n/, ''),
    todos: leftOut.flatMap(({ line, what, todo }) =>
      todo === undefined ? [] : [`${line}: ${what}: ${todo}`],
    ),
    dropped: leftOut.flatMap(({ line, what, todo }) => (todo === undefined ? [`${line}: ${what}`] : [])),
  };
}

/** One job with these lines. */
const job = (lines: string): string =>
  `on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n${lines.replaceAll(/^/gm, '    ')}\n`;

test('a workflow with jobs, a matrix, artifacts, outputs and conditions reads like one of ours', async () => {
  const { yaml, todos, dropped } = await draft(`name: Build and test
on:
  workflow_dispatch:
    inputs:
      level: { type: choice, options: [low, high], description: How much }
env:
  CI_MODE: full
jobs:
  version:
    runs-on: ubuntu-latest
    outputs:
      tag: \${{ steps.find.outputs.tag }}
    steps:
      - uses: actions/checkout@v4
      - id: find
        run: echo "tag=v$(cat VERSION)" >> $GITHUB_OUTPUT
  test:
    needs: version
    runs-on: \${{ matrix.os }}
    timeout-minutes: 20
    strategy:
      fail-fast: false
      max-parallel: 2
      matrix:
        os: [ubuntu-latest, windows-latest]
        suite: [unit, e2e]
        include:
          - { os: ubuntu-latest, suite: unit, slow: true }
        exclude:
          - { os: windows-latest, suite: e2e }
    steps:
      - uses: actions/setup-node@v4
        with: { node-version: 24 }
      - run: npm ci
      - name: Slow ones
        if: matrix.slow && inputs.level == 'high'
        run: npm run slow
        working-directory: packages/core
        env: { MODE: all of it }
      - run: npm test -- \${{ matrix.suite }}
      - uses: actions/upload-artifact@v4
        with: { name: coverage, path: coverage/ }
  publish:
    needs: [version, test]
    if: github.event_name == 'push' && needs.test.result == 'success'
    runs-on: ubuntu-latest
    environment: production
    continue-on-error: true
    steps:
      - run: npm publish --tag "\${{ needs.version.outputs.tag }}"
        env: { NODE_AUTH_TOKEN: '\${{ secrets.NPM_TOKEN }}' }
`);
  expect(yaml).toBe(`name: ci
description: Build and test
inputs:
  level: { schema: { enum: [ low, high ] }, default: low, description: How much }
  github_event_name:
    type: string
    default: workflow_dispatch
    description: 'On GitHub: github.event_name.'
workspace: worktree
env: { CI_MODE: full }
defaults: { shell: bash }
tasks:
  version:
    capture: last-line
    run: |
      set -e
      find_tag="v$(cat VERSION)"
      echo "\${find_tag}"

  test:
    needs: version
    for-each:
      matrix: { suite: [ unit, e2e ], include: [ { suite: unit, slow: true } ] }
      max-parallel: 2
      fail-fast: false
    timeout: 20m
    artifacts: [ coverage ]
    run: |
      set -e
      npm ci
      if [ \${{ (has(matrix.slow) && matrix.slow) && inputs.level == 'high' }} = true ]; then
        (
          export MODE='all of it'
          cd packages/core
          npm run slow
        )
      fi
      npm test -- \${{ matrix.suite }}

  publish:
    needs: [ version, test ]
    if: inputs.github_event_name == 'push' && needs.test.status == 'succeeded'
    approval: Go on with production?
    continue-on-error: true
    secrets: NODE_AUTH_TOKEN
    run: npm publish --tag "\${{ needs.version.output }}"
`);
  expect(todos).toEqual([
    '24: `os`: windows-latest: Left out: tasks run on this machine. Another one: `workspace: { remote: <name> }`.',
    '32: setting up node (24): Install it on this machine.',
    '51: the secret `NODE_AUTH_TOKEN` (on GitHub: secrets.NPM_TOKEN): Set NODE_AUTH_TOKEN in the environment that you start Piton in.',
  ]);
  expect(dropped).toEqual(['2: `on`', '14: actions/checkout']);
});

describe('expressions', () => {
  const inputs =
    'on: { workflow_dispatch: { inputs: { flag: { type: boolean }, name: {}, count: { type: number } } } }';
  const matrix = 'strategy: { matrix: { os: [a, b], node: [20, 22], include: [{ os: a, full: true }] } }';
  const written = async (expression: string): Promise<string | undefined> => {
    const { yaml } = await draft(
      `${inputs}\njobs:\n  first: { runs-on: x, steps: [{ run: ls }] }\n  second:\n    needs: first\n    runs-on: x\n    ${matrix}\n    steps:\n      - run: echo \${{ ${expression} }}\n`,
    );
    return /echo \$\{\{ (.*) \}\}/.exec(yaml)?.[1];
  };

  test.each([
    ["inputs.name == 'x'", "inputs.name == 'x'"],
    ["'x' != github.event.inputs.name", "inputs.name != 'x'"],
    ["contains(inputs.name, 'x')", "inputs.name.contains('x')"],
    [`contains(fromJSON('["a", "b"]'), matrix.os)`, "matrix.os in ['a', 'b']"],
    [
      "contains(github.event.pull_request.labels.*.name, 'x')",
      "'x' in inputs.github_event_pull_request_labels_name",
    ],
    [
      "startsWith(github.ref, 'refs/tags/') && endsWith(inputs.name, 'z')",
      "inputs.github_ref.startsWith('refs/tags/') && inputs.name.endsWith('z')",
    ],
    ["format('{0} of {1}', inputs.name, inputs.count)", "inputs.name + ' of ' + string(inputs.count)"],
    ["inputs.flag && 'a' || 'b'", "inputs.flag ? 'a' : 'b'"],
    ["inputs.name || 'none'", "inputs.name != '' ? inputs.name : 'none'"],
    ["inputs.flag == 'true'", 'inputs.flag'],
    ['inputs.flag == false', '!inputs.flag'],
    ["matrix.node == '20'", 'matrix.node == 20'],
    ['inputs.count >= 3', 'inputs.count >= 3'],
    ['matrix.full', "has(matrix.full) ? matrix.full : ''"],
    ['!matrix.full', '!(has(matrix.full) && matrix.full)'],
    ["needs.first.result == 'failure'", "needs.first.status == 'failed'"],
    ['github.run_id', 'run.id'],
    [
      "(inputs.name == 'a' || inputs.flag) && inputs.count > 1",
      "(inputs.name == 'a' || inputs.flag) && inputs.count > 1",
    ],
    ["inputs.name == 'it''s'", `inputs.name == "it's"`],
  ])('%s is %s', async (theirs, ours) => {
    expect(await written(theirs)).toBe(ours);
  });

  test.each([
    'hashFiles(inputs.name)',
    "fromJSON(inputs.name)['x']",
    'steps.x.outputs.y',
    'inputs.nobody',
    'a ? b',
  ])('%s is left to a person', async (expression) => {
    const text = job(`steps:\n  - run: ls\n  - run: echo \${{ ${expression} }}`);
    const { yaml, todos } = await draft(text);
    expect(yaml).toContain('run: ls\n');
    expect(todos).toEqual([expect.stringMatching(/^7: the step `echo .*: Write it yourself: /)]);
  });

  test.each([
    ['always()', 'always()'],
    ['!cancelled()', 'always()'],
    ['!cancelled() && failure()', 'failure()'],
    ["${{ failure() && github.ref == 'x' }}", "failure() && inputs.github_ref == 'x'"],
    ['success()', undefined],
    ["needs.gone.outputs.skip != 'true'", "inputs.needs_gone_outputs_skip != 'true'"],
  ])('if: %s is if: %s', async (theirs, ours) => {
    const { yaml } = await draft(
      `jobs:\n  gone: { uses: ./x.yml }\n  a: { runs-on: x, steps: [{ run: ls }] }\n  b:\n    needs: [a, gone]\n    if: "${theirs}"\n    runs-on: x\n    steps: [{ run: ls }]\n`,
    );
    expect((parseYaml(yaml) as { tasks: { b: { if?: string } } }).tasks.b.if).toBe(ours);
  });

  test('a condition that nobody can know keeps the task from running', async () => {
    const { yaml, todos } = await draft(job("if: hashFiles('x') != ''\nsteps: [{ run: ./deploy }]"));
    expect(yaml).toContain('    if: false\n');
    expect(todos).toEqual([expect.stringContaining('Until then the task never runs.')]);
  });
});

describe('steps', () => {
  test('a step that leaves its folder or ends early does so in a shell of its own', async () => {
    const { yaml } = await draft(
      job('steps:\n  - run: cd a && make\n  - run: test -f b || exit 0\n  - run: make'),
    );
    expect(yaml).toContain(
      '      (\n        cd a && make\n      )\n      (\n        test -f b || exit 0\n      )\n      make\n',
    );
  });

  test('what a step tells the next by files of GitHub becomes a variable', async () => {
    const { yaml, todos } = await draft(
      job(`steps:
  - id: a-b
    run: |
      echo "COLOR=red" >> "$GITHUB_ENV"
      echo 'size=big' >> $GITHUB_OUTPUT
      echo "$HOME/bin" >> $GITHUB_PATH
      echo "# Done" >> $GITHUB_STEP_SUMMARY
  - if: steps.a-b.outputs.size == 'big'
    run: echo "\${{ steps.a-b.outputs.size }} \${{ env.COLOR }}"`),
    );
    expect(yaml).toContain(`      export COLOR="red"
      a_b_size='big'
      export PATH="$HOME/bin:$PATH"
      echo "# Done"
      if [ "\${a_b_size}" = "big" ]; then
        echo "\${a_b_size} \${COLOR}"
      fi
`);
    expect(todos).toEqual([]);
  });

  test('lines inside of a text and here-documents stay as they are', async () => {
    const { yaml } = await draft(
      job(`steps:\n  - if: github.ref == 'x'\n    run: |\n      cat <<END\n      a\n      END\n  - run: ls`),
    );
    expect(yaml).toContain('= true ]; then\n      cat <<END\n      a\n      END\n      fi\n');
  });

  test('what cannot be translated is told with its line and what to do', async () => {
    const { todos, dropped } = await draft(
      job(`container: node:24
services: { db: { image: postgres } }
outputs: { a: '\${{ steps.x.outputs.a }}', b: '2' }
steps:
  - uses: actions/checkout@v4
    with: { repository: other/one }
  - uses: ./.github/actions/setup
  - uses: codecov/codecov-action@abcdef
  - uses: actions/upload-artifact@v4
    with: { path: 'dist/*.js' }
  - run: ls
    timeout-minutes: 5
  - run: Get-ChildItem
    shell: pwsh
  - if: runner.os == 'Windows'
    run: dir
  - if: failure()
    run: cat log
  - if: always()
    run: rm -rf tmp
  - run: ./odd >> $GITHUB_OUTPUT
  - run: echo '\${{ secrets.KEY }}'`),
    );
    expect(todos.map((todo) => todo.split(':').slice(0, 2).join(':'))).toEqual([
      '5: `container`',
      '6: `services`',
      '7: the outputs `a`, `b`',
      '9: actions/checkout with `repository`',
      '11: ./.github/actions/setup',
      '12: codecov/codecov-action',
      '13: actions/upload-artifact',
      '15: `timeout-minutes` of the step `ls`',
      '17: the step `Get-ChildItem`',
      '21: the step `cat log`',
      '23: `if',
      '25: the step `./odd >> $GITHUB_OUTPUT`',
      "26: the step `echo '${{ secrets.KEY }}'`",
    ]);
    expect(dropped).toEqual(['1: `on`', '19: the step `dir`']);
  });
});

describe('what others wrote', () => {
  test('no value of a secret is in the draft, also not one that stands in the file', async () => {
    const { yaml, todos } = await draft(
      job(
        `env:\n  API_TOKEN: ghp_0123456789abcdef\n  GREETING: hello\nsteps:\n  - run: curl -H "token \${{ github.token }}" "$URL"`,
      ),
    );
    expect(yaml).not.toContain('ghp_');
    expect(yaml).toContain('    secrets: [ API_TOKEN, GITHUB_TOKEN ]\n');
    expect(todos.join()).toContain('no place for a secret');
  });

  test('the title of an issue is never part of a command', async () => {
    const { yaml } = await draft(job('steps:\n  - run: echo "New ${{ github.event.issue.title }}"'));
    const { workflow } = await parseWorkflow(yaml, { file: 'ci.yaml', read: () => '' });
    expect(workflow.tasks[0]!.work).toMatchObject({
      run: 'echo "New ${PITON_VALUE_1}"',
      env: { PITON_VALUE_1: '${{ inputs.github_event_issue_title }}' },
    });
  });

  test('where the shell would execute a value, the job is left out', async () => {
    const text = `jobs:\n  ok: { runs-on: x, steps: [{ run: ls }] }\n  bad:\n    needs: ok\n    runs-on: x\n    steps:\n      - run: eval "\${{ github.event.issue.title }}"\n`;
    const { yaml, todos } = await draft(text);
    expect(yaml).not.toContain('eval');
    expect(todos).toContainEqual(expect.stringContaining('3: the job `bad`: Write it yourself: '));
  });

  test('names, paths and texts with line ends and escape sequences stay where they are', async () => {
    const evil = String.raw`"x\u001b[2J\n  evil: { run: rm }\n# "`;
    const { yaml, todos } = await draft(
      `name: ${evil}\non: { workflow_dispatch: { inputs: { a: { description: ${evil} } } } }\njobs:\n  ok:\n    runs-on: x\n    steps:\n      - run: ls\n      - uses: ${evil.replace('x', 'x@1')}\n      - name: ${evil}\n        run: \${{ a ? b }}\n  ${evil}: { runs-on: x, steps: [{ run: ls }] }\n`,
    );
    const { workflow } = await parseWorkflow(yaml, { file: 'ci.yaml', read: () => '' });
    expect(workflow.tasks.map(({ name }) => name)).toEqual(['ok']);
    // eslint-disable-next-line no-control-regex
    expect(`${yaml}${todos.join('')}`).not.toMatch(/\u001b/);
    const { yaml: whole } = await draftFromGithub(
      `jobs: { ${evil}: {}, ok: { runs-on: x, steps: [{ run: ls }] } }`,
      source,
    );
    expect(
      whole
        .split('\n')
        .filter((line) => line.includes('evil'))
        .every((line) => line.startsWith('#')),
    ).toBe(true);
  });

  test('aliases that become huge, files that are huge or no YAML are refused', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]`,
    );
    const bomb = `a: &a-1 x\n${levels.join('\n')}\njobs: {}`;
    for (const text of [bomb, `# ${'x'.repeat(2_000_000)}`, 'jobs: [', 'jobs: &j { a: *j }'])
      await expect(draftFromGithub(text, source)).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
  });

  test.each(['', 'name: x', 'jobs: []', 'jobs: { a: 1 }', 'jobs: { a: { steps: 5 } }', '- a'])(
    'what is no workflow is refused: %j',
    async (text) => {
      await expect(draftFromGithub(text, source)).rejects.toMatchObject({ code: 'GITHUB_WORKFLOW_UNUSABLE' });
    },
  );

  test('expressions that go on and on are not followed', async () => {
    const text = job(
      `steps:\n  - run: ls\n  - run: echo \${{ ${'('.repeat(5_000)}a${')'.repeat(5_000)} }}\n  - run: echo \${{ ${'!'.repeat(900)}a }}`,
    );
    expect((await draft(text)).todos).toHaveLength(2);
  });
});
