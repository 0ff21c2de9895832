import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearest, PitonError } from '../../../base/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine, momentText } from '../output/index.ts';
import { canAsk, confirm } from '../prompt.ts';
import { showStanding } from '../trust/show.ts';

interface Options {
  readonly yes?: boolean;
}

const actions: Readonly<Record<string, (context: Context, folder?: string) => Promise<ExitCode>>> = {
  list,
  revoke,
};

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[what]', 'list, or revoke; default: trust this project')
      .argument('[folder]', 'of revoke: another project, as list shows it, also one that is gone')
      .option('-y, --yes', 'without a question: you have looked')
      .option('--json', 'print JSON')
      .addHelpText('after', explanation),
  examples: [
    ['piton trust', 'see what this project would execute or be granted, and say whether it may'],
    ['piton trust --yes', 'where you have looked already'],
    ['piton trust list', 'what you trust'],
    ['piton trust revoke', 'not this project any more'],
    ['piton trust revoke ~/old', 'not that one any more'],
  ],
  async run(context, { args, options }) {
    const [what, folder] = args;
    if (what === undefined) return trustThis(context, options.yes === true);
    const action = Object.hasOwn(actions, what) ? actions[what] : undefined;
    if (action === undefined) throw unknown(what);
    if (folder !== undefined && action !== revoke) throw unexpected(what, folder);
    return action(context, folder);
  },
});

const explanation = `
Trust covers where the project is, its .piton/config.yaml, the settings of agents in it (hooks, servers, permissions) and its
runs. When one of them changes, you are shown what has changed, and asked again. In a trusted project, to name a workflow is
to agree to what it says. What Piton itself has made here is trusted. For one call, as in CI: PITON_TRUST=1.`;

async function trustThis(context: Context, isSure: boolean): Promise<ExitCode> {
  const { project, output } = context;
  const standing = await project.trustStanding();
  const { root } = standing;
  if (standing.isTrusted) {
    output.json({ root, trusted: true });
    output.print(
      standing.record === undefined
        ? `There is nothing in ${cleanLine(root)} that would have to be trusted.`
        : `${cleanLine(root)} is trusted, as it is.`,
    );
    return exitCodes.done;
  }
  showStanding(output, standing);
  if (!isSure && !canAsk(context)) {
    throw new PitonError('TRUST_NEEDED', `${root} is not trusted: ${standing.reason}.`, {
      root,
      remedy: 'If it may do what is shown above: piton trust --yes.',
    });
  }
  if (!isSure && !(await confirm(context, 'Trust it?'))) return exitCodes.refused;
  await project.trust(standing);
  output.json({ root, trusted: true });
  output.print(`${cleanLine(root)} is trusted.`);
  output.next('piton trust list', 'piton trust revoke');
  return exitCodes.done;
}

async function list({ project, output }: Context): Promise<ExitCode> {
  const records = await project.trustedProjects();
  output.json(records.map(({ root, at, files }) => ({ root, at, files: Object.keys(files) })));
  if (records.length === 0) output.print('Nothing is trusted.');
  output.table(
    records.map(({ root, at, files }) => [
      cleanLine(root),
      momentText(at),
      cleanLine(Object.keys(files).join(', ')),
    ]),
  );
  return exitCodes.done;
}

async function revoke({ project, config, output, directory }: Context, folder?: string): Promise<ExitCode> {
  const named = folder === undefined ? config.root : resolve(directory, folder);
  const root = existsSync(named) ? realpathSync(named) : named;
  const wasTrusted = await project.revokeTrust(root);
  output.json({ root, wasTrusted });
  output.print(
    wasTrusted ? `${cleanLine(root)} is not trusted any more.` : `${cleanLine(root)} was not trusted.`,
  );
  output.next('piton trust list');
  return exitCodes.done;
}

function unexpected(what: string, folder: string): PitonError {
  return new PitonError('USAGE_INVALID', `piton trust ${what} takes no folder, but was given ${folder}.`, {
    remedy: `Type piton trust ${what}.`,
  });
}

function unknown(what: string): PitonError {
  const close = nearest(what, Object.keys(actions));
  return new PitonError('USAGE_INVALID', `There is no piton trust ${what}.`, {
    remedy:
      close === undefined
        ? 'There are piton trust, piton trust list and piton trust revoke.'
        : `Did you mean piton trust ${close}?`,
  });
}
