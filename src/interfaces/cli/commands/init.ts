import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { writeNew, type Project } from '../../../project/index.ts';
import { defineCommand } from '../command-spec.ts';
import { exitCodes } from '../exit-codes.ts';

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

export const command = defineCommand({
  configure: (command) => command.option('--json', 'print JSON'),
  examples: [
    ['piton init', 'make .piton here, with the workflow hello'],
    ['piton init -C ../other', 'make it there'],
  ],
  async run({ project, config, output, directory }) {
    const made = [...(await project.make()), ...makeExample(config)].map((file) => relative(directory, file));
    output.json({ root: config.root, made });
    output.print(made.length === 0 ? `Everything is there already in ${config.folder}.` : 'Made:');
    for (const file of made) output.print(`  ${file}`);
    output.next('piton run hello');
    return exitCodes.done;
  },
});

/** Nothing that is there is touched: neither the example nor, in a project with workflows of its own, the lack of it. */
function makeExample({ workflows }: Project['config']): string[] {
  if (existsSync(workflows)) return [];
  const file = join(workflows, 'hello.yaml');
  return writeNew(file, example) ? [file] : [];
}
