import { expect, test } from 'vitest';
import { fullProgram } from '../../src/interfaces/cli/program.ts';
import { workflow } from '../../src/index.ts';
import { newProject, type Project } from './command-line.ts';

test('wherever a command takes a run and a task, the run comes first', async () => {
  const { commands } = await fullProgram();
  const ordersOf = (command: (typeof commands)[number]): string[] =>
    command.registeredArguments
      .map((argument) => argument.name())
      .filter((name) => /^(run|tasks?)$/.test(name));
  const wrong = commands.filter((command) => ordersOf(command)[0]?.startsWith('task') === true);
  expect(wrong.map((command) => command.name())).toEqual([]);
  const options = commands.filter(({ options }) => options.some(({ long }) => long === '--run'));
  // A text is searched for in all runs, or in one.
  expect(options.map((command) => command.name())).toEqual(['search']);
});

async function projectWithRuns(): Promise<Project> {
  const project = newProject();
  await project.withStore(async (store) => {
    for (const id of ['old', 'v1']) {
      const flow = workflow('flow').task('build', () => 1);
      await (await store.start(flow, { id })).result();
    }
  });
  return project;
}

test.for([
  [['logs', 'build', 'old'], 'piton logs old build'],
  [['show', 'build', 'v1', '--json'], 'piton show v1 build --json'],
  [['retry', 'build', 'old', '--fresh'], 'piton retry old build --fresh'],
  [['approve', 'build', 'v1', '-m', "it's fine"], `piton approve v1 build -m 'it'\\''s fine'`],
  [['resolve', 'build', 'v1'], 'piton resolve v1 build'],
  [['workspace', 'show', 'build', 'v1'], 'piton workspace show v1 build'],
  [['logs', 'build'], 'piton logs v1 build'],
] as const)(
  'a task in the place of the run is refused with the line that was meant: %s',
  async ([args, meant]) => {
    const { piton } = await projectWithRuns();
    const { code, stderr, stdout } = await piton(args);
    expect(code).toBe(2);
    const said = args.includes('--json' as never) ? stderr + stdout : stderr;
    expect(said).toContain('The run comes first: ');
    expect(said.replaceAll(String.raw`\\`, '\\')).toContain(meant);
  },
);

test('where no task is taken, or none has that name, nothing is made up', async () => {
  const { piton } = await projectWithRuns();
  for (const args of [
    ['status', 'build'],
    ['logs', 'bild', 'v1'],
    ['logs', 'nothing'],
  ]) {
    const { code, stderr } = await piton(args);
    expect([code, stderr]).toEqual([2, expect.not.stringContaining('The run comes first')]);
  }
});

test('a command that lacks an argument is answered with the line to write', async () => {
  const { piton } = await projectWithRuns();
  expect((await piton(['resolve', 'v1'])).stderr).toContain('Write piton resolve [options] <run> <task>.');
  expect((await piton(['workspace', 'show', 'v1'])).stderr).toContain(
    'Write piton workspace show <run> <task>.',
  );
});
