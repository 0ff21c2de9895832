import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Config } from '../../../config/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { makeFolder, writeNew } from '../project-folder.ts';

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
  async run({ config, env, output, directory }) {
    if (!config.isProject) await trustNewProject(config, env);
    const made = [...makeFolder(config), ...makeExample(config)].map((file) => relative(directory, file));
    output.json({ root: config.root, made });
    output.print(made.length === 0 ? `Everything is there already in ${config.folder}.` : 'Made:');
    for (const file of made) output.print(`  ${file}`);
    output.next('piton run hello');
    return exitCodes.done;
  },
});

/** What is made here is one's own. In a project that is there already, somebody else may have written. */
async function trustNewProject(config: Config, env: Context['env']): Promise<void> {
  const { trustWhatIsMade } = await import('../trust/project-trust.ts');
  trustWhatIsMade(config, env, false);
}

/** Nothing that is there is touched: neither the example nor, in a project with workflows of its own, the lack of it. */
function makeExample({ workflows }: Config): string[] {
  if (existsSync(workflows)) return [];
  const file = join(workflows, 'hello.yaml');
  return writeNew(file, example) ? [file] : [];
}
