import { shellWord } from '../../../base/index.ts';
import type { PullRequest } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';

interface Options {
  readonly base?: string;
  readonly branch?: string;
  readonly draft?: boolean;
  readonly title?: string;
  readonly body?: string;
  readonly partial?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; default: the latest')
      .option('--base <branch>', 'into which it is to be merged; default: the main branch of the remote')
      .option('--branch <name>', 'as what it is pushed; default: piton/<run>')
      .option('--draft', 'it is not to be merged yet')
      .option('--title <text>', 'default: what the workflow says, or what the agents say of their work')
      .option('--body <text>', 'default: the same in full, with checks, cost and conversations below')
      .option('--partial', 'also of a run that has not done its work: what is there')
      .option('--json', 'print JSON')
      .addHelpText('after', explanation),
  examples: [
    ['piton pr', 'push the work of the latest run and open a pull request'],
    ['piton pr 4f2 --draft --base next', 'a draft, into the branch next'],
  ],
  async run(context, { args, options }) {
    const piton = await context.openExisting();
    const { run } = await piton.findRecord(args[0]);
    const opened = await piton.openPullRequest(run, options);
    context.output.json({ run, ...opened });
    printOpened(context, opened, run);
    return exitCodes.done;
  },
});

const explanation = `
The branch of the run is pushed to delivery.remote of .piton/config.yaml (default: the remote of the base, else origin), and the
pull request is opened by gh, or by delivery.command. Called again it finds what is there, and pushes what is new. What
somebody else has pushed to that branch is never replaced (exit code 4).`;

function printOpened(
  { output }: Context,
  { url, remote, branch, base, commit, existed, pushed }: PullRequest,
  run: string,
): void {
  const at = commit.slice(0, 7);
  output.print(
    pushed ? `Pushed ${branch} (${at}) to ${remote}.` : `${branch} (${at}) is at ${remote} already.`,
  );
  output.print(
    `${existed ? 'The pull request is there' : 'Opened a pull request'} into ${base}: ${cleanLine(url)}`,
  );
  output.next(`piton diff ${shellWord(run)}`);
}
