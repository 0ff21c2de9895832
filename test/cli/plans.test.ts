/** What is told of a run before it begins: where its tasks work, what they do, and which of them are meant. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentLines } from '../../src/interfaces/cli/drive/agent-lines.ts';
import { placeLines, placeText } from '../../src/interfaces/cli/drive/place-lines.ts';
import { planAgent } from '../../src/project/plan/plan-agent.ts';
import { planRun, type PlannedTask } from '../../src/project/plan/plan.ts';
import { placesIn, type PlannedPlace } from '../../src/project/plan/plan-places.ts';
import { selectFrom } from '../../src/project/plan/select-from.ts';
import { findProject } from '../../src/index.ts';
import type { Definition } from '../../src/library/index.ts';
import type { AgentWork, TaskSpec, Workflow, WorkspaceSpec } from '../../src/model/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  agentTask,
  body,
  checkOf,
  command,
  forEach,
  graph,
  node,
  task,
  uses,
  workflow,
} from '../support/workflows.ts';

function repository(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.git'));
  return folder;
}

const outside = '/';
const reader = agentTask('look', ['claude'], { work: { permissions: 'read' } });
const writer = agentTask('fix', ['claude'], { needs: ['look'] });
const lister = task('list', { work: command('ls') });

function worksIn(
  tasks: readonly TaskSpec[],
  root: string,
  mode?: 'shared' | 'worktree' | 'directory',
): Record<string, string> {
  const places = placesIn(workflow(tasks), { root, workspaces: { mode } } as never);
  return Object.fromEntries(places.map((place) => [place.task, placeText(place)]));
}

const shared = 'the folder of the run';
const lacking = 'the folder of the run, as there is no git repository around it';
const ownTree = 'a git worktree of its own; its work is brought to the branch of the run';

test('who writes beside agents works in a worktree, who only looks in the folder of the run', () => {
  expect(worksIn([reader, writer], repository())).toEqual({ look: shared, fix: ownTree });
  expect(worksIn([lister], repository())).toEqual({ list: shared });
  expect(worksIn([reader, writer], repository(), 'worktree')).toEqual({
    look: 'a git worktree of its own; only to look',
    fix: ownTree,
  });
});

test('a folder below that of a git repository is in it too', () => {
  const folder = join(repository(), 'packages/one');
  mkdirSync(folder, { recursive: true });
  expect(worksIn([reader, writer], folder)).toEqual({ look: shared, fix: ownTree });
});

test('where there is no git repository, all work in the folder of the run, and it is said who would not', () => {
  expect(worksIn([reader, writer], outside)).toEqual({ look: shared, fix: lacking });
  expect(worksIn([writer], outside, 'shared')).toEqual({ fix: shared });
  expect(worksIn([writer], outside, 'directory')).toEqual({ fix: 'an empty folder of its own' });
});

test('what is not a process has no place, and what is inside another is named by the way to it', () => {
  const inner = workflow([writer, task('count')]);
  const flow = workflow([task('group', { work: body(inner) }), task('sum'), lister]);
  const places = placesIn(flow, { root: repository(), workspaces: {} });
  expect(places.map(({ task: name, place }) => [name, place.mode])).toEqual([
    ['group/fix', 'worktree'],
    ['list', 'worktree'],
  ]);
  // What is said of the workflow around it holds for it too.
  const around = { ...flow, workspace: { mode: 'directory' } } as Workflow;
  const [first] = placesIn(around, { root: outside, workspaces: {} });
  expect(first).toStrictEqual({
    task: 'group/fix',
    place: { mode: 'directory', integrates: false },
    lacksRepository: false,
  });
});

test('a pool is one of places: who works in the folder of the run has none', () => {
  const pooled = task('each', { work: command('ls'), pool: 2 });
  const placed = (mode: 'shared' | 'worktree', root: string): string[] =>
    placeLines(placesIn(workflow([pooled]), { root, workspaces: { mode } }));
  expect(placed('worktree', repository())).toEqual(['in git worktrees of their own: each (2 for all items)']);
  expect(placed('shared', repository())).toEqual([`in ${shared}: each`]);
  expect(placed('worktree', outside)).toEqual([`in ${lacking}: each`]);
});

test('the places of a plan are told in as few lines as that takes', () => {
  const places: readonly Omit<PlannedPlace, 'task'>[] = [
    { place: { mode: 'shared' }, lacksRepository: false },
    { place: { mode: 'shared' }, lacksRepository: true },
    { place: { mode: 'worktree', integrates: true }, lacksRepository: false, pool: 2 },
    { place: { mode: 'remote', remote: 'box', integrates: false }, lacksRepository: false },
    { place: { mode: 'directory', integrates: false }, lacksRepository: false },
    { place: { mode: 'directory', copyOf: 'site', integrates: false }, lacksRepository: false },
    { place: { mode: 'directory', copyOf: './', integrates: false }, lacksRepository: false, pool: 3 },
  ];
  expect(places.map(placeText)).toEqual([
    shared,
    lacking,
    `one of 2 places, in turn: ${ownTree}`,
    'a git worktree of its own on box; only to look',
    'an empty folder of its own',
    'a copy of site',
    'one of 3 places, in turn: a copy of the folder of the run',
  ]);
  const named = [...places, ...places].map((place, index) => ({ task: `t${index}`, ...place }));
  expect(placeLines(named)).toEqual([
    `in ${shared}: t0, t7`,
    `in ${lacking}: t1, t8`,
    'in git worktrees of their own: t2 (2 for all items), t9 (2 for all items)',
    'in git worktrees of their own on box: t3, t10',
    'in empty folders of their own: t4, t11',
    'in copies of site: t5, t12',
    'in copies of the folder of the run: t6 (3 for all items), t13 (3 for all items)',
  ]);
});

test('without a selection a definition stays what it is; with one it keeps all but the tasks left out', () => {
  const flow = workflow([task('a'), task('b', { needs: ['a'] }), task('c', { needs: ['b'] })]);
  const [functions, closures] = [{ a: () => 1 }, {}];
  const definition = { workflow: flow, functions, closures } as unknown as Definition;
  expect(selectFrom(definition, {})).toBe(definition);
  expect(selectFrom(definition, { only: undefined, until: undefined, skip: undefined })).toBe(definition);
  const names = (of: Definition): string[] => of.workflow.tasks.map(({ name }) => name);
  const until = selectFrom(definition, { until: ['b'] });
  expect([names(until), until.functions, until.closures]).toEqual([['a', 'b'], functions, closures]);
  expect('declaresInputs' in until).toBe(false);
  for (const declaresInputs of [true, false])
    expect(selectFrom({ ...definition, declaresInputs }, { only: ['a'] }).declaresInputs).toBe(
      declaresInputs,
    );
});

async function planOf(flow: Workflow, inputs = {}, root = outside): ReturnType<typeof planRun> {
  const definition = { workflow: flow, functions: {}, closures: {} } as unknown as Definition;
  return planRun(definition, inputs, { root, workspaces: {} } as never);
}

async function planned(spec: TaskSpec, inputs = {}, root = outside): Promise<PlannedTask> {
  const { levels } = await planOf(workflow([spec]), inputs, root);
  return levels[0]![0]!;
}

test('a plan holds what the workflow says of itself, and nothing else', async () => {
  const plain = workflow([task('a')]);
  expect(Object.keys(await planOf(plain))).toEqual([
    'workflow',
    'form',
    'inputs',
    'failFast',
    'bounds',
    'levels',
  ]);
  const full = workflow([task('a')], { maxParallel: 2, base: 'main', failFast: true });
  expect(await planOf(full, { part: 'roof' })).toMatchObject({
    workflow: 'test',
    form: 'tasks',
    inputs: { part: 'roof' },
    maxParallel: 2,
    failFast: true,
    base: 'main',
    bounds: [],
  });
});

test('inputs are checked if the definition describes them, and not else', async () => {
  const inputs = { n: { schema: { type: 'integer' } } };
  const flow = workflow([task('a')], { inputs } as unknown as Partial<Workflow>);
  const definition = { workflow: flow, functions: {}, closures: {} } as unknown as Definition;
  const project = await findProject({ root: outside, environment: {} });
  await expect(project.plan({ ...definition, declaresInputs: true }, { n: 'x' })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  });
  for (const declaresInputs of [undefined, false]) {
    const undescribed = { ...definition, declaresInputs } as Definition;
    expect((await project.plan(undescribed, { n: 'x' })).inputs).toEqual({ n: 'x' });
  }
});

test('tasks are on the level below the lowest of their needs; all nodes of a graph are on one', async () => {
  const names = async (flow: Workflow): Promise<string[][]> =>
    (await planOf(flow)).levels.map((level) => level.map(({ task: name }) => name));
  const needing = (name: string, ...needs: string[]): TaskSpec => task(name, { needs });
  expect(
    await names(
      workflow([needing('d', 'c', 'a'), needing('a'), needing('c', 'b'), needing('b', 'a'), needing('e')]),
    ),
  ).toEqual([['a', 'e'], ['b'], ['c'], ['d']]);
  expect(await names(graph([node('one', 'two'), node('two', 'one')]))).toEqual([['one', 'two']]);
});

test.each<[string, TaskSpec['work'], Partial<PlannedTask>]>([
  ['a function', { type: 'function', function: 'f' }, { work: 'function f', values: {}, secrets: [] }],
  [
    'a function with values',
    { type: 'function', function: 'f', with: { n: 1 } },
    { work: 'function f', values: { with: { n: 1 } }, secrets: [] },
  ],
  ['a workflow', body(workflow([task('x'), task('y')])), { work: 'workflow test: x, y', values: {} }],
  [
    'a workflow with inputs',
    uses(workflow([task('x')]), { part: '${{ inputs.part }}' }),
    { work: 'workflow test: x', values: { with: { part: 'roof' } }, secrets: [] },
  ],
  [
    'a command',
    { ...command('ls'), env: { A: '${{ inputs.part }}' }, secrets: ['TOKEN'] },
    { work: 'ls', values: { A: 'roof' }, secrets: ['TOKEN'] },
  ],
  [
    'a command of words, in a folder',
    { ...command(''), run: ['ls', 'my ${{ inputs.part }}'], workingDirectory: 'src' },
    { work: "ls 'my roof'", values: { 'working-directory': 'src' }, secrets: [] },
  ],
  [
    'a pull request',
    { type: 'deliver', pr: { title: 'The ${{ inputs.part }}', draft: false } } as TaskSpec['work'],
    {
      work: 'push the branch of the run, and open a pull request',
      values: { title: 'The roof' },
      secrets: [],
    },
  ],
  [
    'a draft of one',
    { type: 'deliver', pr: { base: 'main', draft: true } } as TaskSpec['work'],
    { work: 'push the branch of the run, and open a draft of a pull request into main', values: {} },
  ],
])('of %s a plan tells what is done, and with which values', async (_, work, expected) => {
  const plan = await planned(task('a', { work }), { part: 'roof' });
  expect(plan).toMatchObject(expected);
  expect(plan.values).toEqual(expected.values);
  expect(['agent', 'check', 'setup'].filter((key) => key in plan)).toEqual([]);
});

test('of an agent a plan tells the prompt, the check, the values and the secrets', async () => {
  const work = { prompt: 'Mend ${{ inputs.part }}.', env: { A: '1' }, secrets: ['TOKEN'] };
  const check = checkOf(2, { work: { ...command('npm test'), env: { B: '${{ inputs.part }}' } } });
  expect(await planned(agentTask('fix', ['claude'], { work, check }), { part: 'roof' })).toMatchObject({
    work: 'Mend roof.',
    values: { A: '1' },
    secrets: ['TOKEN'],
    agent: { agents: [{ name: 'claude' }] },
    check: { work: 'npm test', values: { B: 'roof' }, revise: 2 },
  });
});

test('a setup is part of the plan only where the task has a place of its own', async () => {
  const own: WorkspaceSpec = { mode: 'directory' };
  const spec = (setup: TaskSpec['setup'], workspace?: WorkspaceSpec): TaskSpec =>
    task('a', { work: command('ls'), ...(setup && { setup }), ...(workspace && { workspace }) });
  const setup = { copy: ['.env'], ports: 2 };
  expect((await planned(spec(setup, own))).setup).toEqual({ ...setup, values: {} });
  const work = { ...command('npm ci'), env: { A: '1' } };
  expect((await planned(spec({ ...setup, work } as TaskSpec['setup'], own))).setup).toEqual({
    ...setup,
    work: 'npm ci',
    values: { A: '1' },
  });
  for (const without of [spec(setup), spec(undefined, own)])
    expect('setup' in (await planned(without))).toBe(false);
});

const agentWork = agentTask('fix', ['claude']).work as AgentWork;

test.each<[string, Partial<AgentWork>, string[]]>([
  ['a new session', {}, ['agent: claude', 'session: a new one', 'permissions: edit']],
  [
    'one that goes on',
    { session: { continue: 'look' } },
    ['agent: claude', 'session: goes on in that of look', 'permissions: edit'],
  ],
  [
    'all that is set',
    { model: 'big', effort: 'high', maxTurns: 5, budget: { usd: 2 }, permissions: ['Read', 'Bash(ls)'] },
    [
      'agent: claude · model big · effort high · at most 5 turns · at most $2.00',
      'session: a new one',
      'permissions: Read, Bash(ls)',
    ],
  ],
])('of an agent with %s a plan says that, and no more', (_, given, expected) => {
  expect(agentLines(planAgent({ ...agentWork, ...given })).slice(0, 3)).toEqual(expected);
});

test('arguments are those of the agent they are meant for, or of all', () => {
  const argumentsOf = (args: AgentWork['args']): (readonly string[])[] =>
    planAgent({ ...agentWork, agents: ['claude', 'codex'], args }).agents.map((choice) => choice.args);
  expect(argumentsOf(['--fast'])).toEqual([['--fast'], ['--fast']]);
  expect(argumentsOf({ codex: ['--slow'] })).toEqual([[], ['--slow']]);
  expect(agentLines(planAgent({ ...agentWork, agents: [] }))[0]).toBe('agent: none');
  const lines = agentLines(planAgent({ ...agentWork, args: ['--on the way'] }));
  expect(lines.slice(3)).toEqual([
    expect.stringMatching(/^ {2}claude: /),
    "  claude arguments: '--on the way'",
    'prompt:',
  ]);
});

test('items are counted where the inputs decide them', async () => {
  const spec = task('each', { forEach: forEach('${{ inputs.list }}') });
  expect((await planned(spec, { list: ['a'] })).rules[0]).toBe('for 1 item');
});
