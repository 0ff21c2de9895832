import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { plural, shellWord } from '../../../base/index.ts';
import { writeNew, type ImportedWorkflow, type Project } from '../../../project/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';

const example = `# Try it:  piton run hello            (or: piton run hello -i name=Ada)
# Kill it: kill -9 the process in the middle, then  piton resume
name: hello
inputs:
  name: { type: string, default: world }
tasks:
  greet:
    run: echo "Hello, \${{ inputs.name }}!"
  left:
    needs: greet
    run: |
      sleep 2
      echo left
  right:
    needs: greet
    retry: { attempts: 3 }
    run: |
      sleep 3
      echo right
  summary:
    needs: [left, right]
    run: echo "\${{ tasks.greet.output }} Done were \${{ tasks.left.output }} and \${{ tasks.right.output }}."
outputs: { text: '\${{ tasks.summary.output }}' }
`;

interface Options {
  readonly fromGithub?: string;
  readonly force?: true;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .option(
        '--from-github <file>',
        'write a draft of this workflow of GitHub Actions, and say what it leaves out',
      )
      .option('--force', 'with --from-github: replace a workflow of the same name')
      .option('--json', 'print JSON'),
  examples: [
    ['piton init', 'make .piton here, with the workflow hello'],
    ['piton init -C ../other', 'make it there'],
    ['piton init --from-github .github/workflows/ci.yml', 'with a draft of that workflow'],
  ],
  async run(context, { options }) {
    const { project, config, output, directory } = context;
    const { fromGithub, force } = options;
    if (fromGithub !== undefined) return importWorkflow(context, fromGithub, force === true);
    const made = [...(await project.make()), ...makeExample(config)].map((file) => relative(directory, file));
    output.json({ root: config.root, made });
    output.print(made.length === 0 ? `Everything is there already in ${config.folder}.` : 'Made:');
    for (const file of made) output.print(`  ${file}`);
    const names = project.workflows().map(({ name }) => name);
    const first = names.includes('hello') ? 'hello' : names[0];
    output.next(
      first === undefined ? `write a workflow into ${config.workflows}` : `piton run ${shellWord(first)}`,
    );
    return exitCodes.done;
  },
});

async function importWorkflow(context: Context, path: string, replace: boolean): Promise<ExitCode> {
  const { project, config, output, directory } = context;
  const imported = await project.importGithub(path, { replace });
  const made = [...(await project.make()), imported.file].map((file) => relative(directory, file));
  const { leftOut, jobs, tasks, name } = imported;
  output.json({ root: config.root, made, jobs, tasks, leftOut });
  output.print(`Made ${cleanLine(made.at(-1)!)}: ${plural(tasks, 'task')} from ${plural(jobs, 'job')}.`);
  printTodos(output, leftOut);
  output.next(`piton validate ${shellWord(name)}`);
  return exitCodes.done;
}

function printTodos(output: Context['output'], leftOut: ImportedWorkflow['leftOut']): void {
  const [todos, dropped] = [
    leftOut.filter(({ todo }) => todo !== undefined),
    leftOut.filter(({ todo }) => todo === undefined),
  ];
  if (todos.length > 0) output.print('Left for you to do (also listed at the top of the file):');
  for (const { line, what, todo } of todos) output.print(`  line ${line}: ${what}\n      ${todo}`);
  if (dropped.length === 0) return;
  const list = dropped.map(({ line, what }) => `${what} (line ${line})`).join(', ');
  output.print(`Not needed here: ${list}.`);
}

/** Nothing that is there is touched: neither the example nor, in a project with workflows of its own, the lack of it. */
function makeExample({ workflows }: Project['config']): string[] {
  if (existsSync(workflows)) return [];
  const file = join(workflows, 'hello.yaml');
  return writeNew(file, example) ? [file] : [];
}
