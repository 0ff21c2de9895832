import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { nearest, PitonError } from '../../../base/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanText } from '../output/index.ts';
import { serviceHost, type ServiceHost } from '../service/host.ts';
import { serviceFor } from '../service/unit.ts';

interface Options {
  readonly print?: boolean;
}

const actions: Readonly<Record<string, (context: Context, host: ServiceHost) => ExitCode>> = {
  install,
  uninstall,
  status: showStatus,
};

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('<action>', 'install, uninstall or status')
      .option('--print', 'only print the file that would be installed')
      .option('--json', 'print JSON'),
  examples: [
    ['piton service install', 'at login, go on with all interrupted runs of this project'],
    ['piton service install --print', 'what would be installed: a systemd user unit, or a launchd agent'],
    ['piton service uninstall', 'no more'],
  ],
  async run(context, { args, options }) {
    const action = actionOf(args[0]!);
    const service = serviceFor(context.config.root, context.env);
    const host = serviceHost(service, process.platform, context.env);
    if (options.print !== true) return action(context, host);
    context.output.json({ file: host.file, text: host.text });
    context.output.print(host.text.trimEnd());
    return exitCodes.done;
  },
});

function actionOf(name: string): (context: Context, host: ServiceHost) => ExitCode {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action !== undefined) return action;
  const known = Object.keys(actions);
  const close = nearest(name, known);
  throw new PitonError('USAGE_INVALID', `A service cannot ${name}.`, {
    remedy: close === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${close}?`,
  });
}

function install({ output }: Context, host: ServiceHost): ExitCode {
  mkdirSync(dirname(host.file), { recursive: true });
  writeFileSync(host.file, host.text);
  const trouble = host.enable();
  output.json({ file: host.file, isEnabled: trouble === undefined, trouble });
  output.print(`Written: ${host.file}`);
  if (trouble === undefined) {
    output.print('At every login, interrupted runs of this project go on.');
    output.next('piton service status');
    return exitCodes.done;
  }
  output.note(`It could not be enabled: ${cleanText(trouble)}`);
  output.next('enable it in a session with a service manager: piton service install');
  return exitCodes.failed;
}

function uninstall({ output }: Context, host: ServiceHost): ExitCode {
  const wasThere = existsSync(host.file);
  const trouble = wasThere ? host.disable() : undefined;
  rmSync(host.file, { force: true });
  output.json({ file: host.file, wasThere, trouble });
  output.print(wasThere ? `Removed: ${host.file}` : 'It was not installed.');
  if (trouble !== undefined) output.note(`It could not be disabled before: ${cleanText(trouble)}`);
  output.next('piton resume --all');
  return exitCodes.done;
}

function showStatus({ output }: Context, host: ServiceHost): ExitCode {
  const isInstalled = existsSync(host.file);
  const status = isInstalled ? host.status() : 'not installed';
  output.json({ file: host.file, isInstalled, status });
  output.print(isInstalled ? `${host.file}: ${cleanText(status)}` : 'Not installed.');
  output.next(isInstalled ? 'piton service uninstall' : 'piton service install');
  return exitCodes.done;
}
