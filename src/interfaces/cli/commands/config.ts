import { nearest, PitonError } from '../../../base/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';

type Action = (context: Context, file?: string) => Promise<ExitCode>;

const actions: Readonly<Record<string, Action>> = {
  async show(context) {
    const { showSettings } = await import('../config/show-config.ts');
    return showSettings(context);
  },
  async validate(context, file) {
    const { validateConfig } = await import('../config/check-config.ts');
    return validateConfig(context, file);
  },
  async schema({ output }) {
    const { configJsonSchema } = await import('../../../project/index.ts');
    output.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    return exitCodes.done;
  },
  async migrate(context, file) {
    const { migrateFiles } = await import('../config/check-config.ts');
    return migrateFiles(context, file);
  },
};

export const command = defineCommand({
  configure: (command) =>
    command
      .argument('<what>', Object.keys(actions).join(', '))
      .argument('[file]', 'validate, migrate: another file; default: yours, and that of this project')
      .option('--json', 'print JSON')
      .addHelpText('after', explanation),
  examples: [
    ['piton config show', 'every value that holds here, and where it is from'],
    ['piton config validate', 'all that is wrong with your file, that of this project and the environment'],
    ['piton config schema > config.schema.json', 'for editors'],
    ['piton config migrate', 'write files of an older version anew; they are kept as a copy'],
  ],
  async run(context, { args: [what = '', file] }) {
    const action = Object.hasOwn(actions, what) ? actions[what] : undefined;
    if (action === undefined) throw unknown(what);
    if (file !== undefined && what !== 'validate' && what !== 'migrate') throw unexpected(what, file);
    return action(context, file);
  },
});

const explanation = `
From the weakest to the strongest: defaults, your own file (~/.config/piton/config.yaml), that of the project
(.piton/config.yaml), environment variables (PITON_LEASE=1m), options. Of a project that is not trusted, nothing is used
that executes or grants something.`;

function unexpected(what: string, file: string): PitonError {
  return new PitonError('USAGE_INVALID', `piton config ${what} takes no file, but was given ${file}.`, {
    remedy: `Type piton config ${what}.`,
  });
}

function unknown(what: string): PitonError {
  const known = Object.keys(actions);
  const close = nearest(what, known);
  return new PitonError('USAGE_INVALID', `There is no piton config ${what}.`, {
    remedy: close === undefined ? `Known are ${known.join(', ')}.` : `Did you mean piton config ${close}?`,
  });
}
