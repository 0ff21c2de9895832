import { Command, CommanderError } from 'commander';
import { nearest, PitonError } from '../../base/index.ts';
import type { ProjectOptions } from '../../project/index.ts';
import type { CommandSpec, Invocation } from './command-spec.ts';
import type { CommandEntry, Power } from './command-entry.ts';
import { commandTable } from './command-table.ts';
import type { Output } from './output/index.ts';

/** What was asked for; undefined when help was, and has been printed. */
export interface Call extends Invocation {
  readonly spec: CommandSpec;
  readonly flags: Pick<ProjectOptions, 'root' | 'store' | 'ignoresFiles'>;
  readonly power: Power;
}

/** Options of every command that take a value: their values are not the name of the command. */
const withValue: ReadonlySet<string> = new Set(['-C', '--root', '--store']);

/** Reads a command line, importing only the command it calls. Throws `USAGE_INVALID`. */
export async function readCall(argv: readonly string[], output: Output): Promise<Call | undefined> {
  const args = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
  const name = commandNameIn(args);
  const asksForHelp = args.some((arg) => arg === '--help' || arg === '-h');
  if (name === undefined && !asksForHelp) return readOverview(args, output);
  const entry = name === undefined ? undefined : entryOf(name);
  const spec = (await entry?.load())?.command;
  const program = createProgram(output);
  let call: Call | undefined;
  for (const other of commandTable) {
    const command = addCommand(program, other);
    if (other !== entry || spec === undefined) continue;
    describeCommand(command, spec).action(() => {
      const given = { args: command.args, options: command.opts() };
      const ignoresFiles = other.ignoresFiles?.(given) === true;
      call = { spec, ...given, flags: { ...program.opts(), ignoresFiles }, power: powerOf(other, given) };
    });
  }
  await parse(program, args);
  return call;
}

function powerOf({ power }: CommandEntry, given: Invocation): Power {
  return typeof power === 'function' ? power(given) : power;
}

/** The whole tree, for completion and for the reference. */
export async function fullProgram(): Promise<Command> {
  const program = createProgram();
  for (const entry of commandTable) {
    if (entry.isHidden !== true) describeCommand(addCommand(program, entry), (await entry.load()).command);
  }
  return program;
}

async function readOverview(args: readonly string[], output: Output): Promise<Call | undefined> {
  const { command: spec } = await import('./commands/overview.ts');
  const program = createProgram(output);
  let call: Call | undefined;
  spec.configure(program).action(() => {
    const options = program.opts();
    call = { spec, args: [], options, flags: options, power: 'reads' };
  });
  await parse(program, args);
  return call;
}

/** `output`: where help goes, and how wide it may be. */
function createProgram(output?: Output): Command {
  const program = new Command('piton')
    .description('Runs workflows so that a crash costs nothing but the time to restart.')
    .option('-C, --root <folder>', 'the folder of the project, instead of the nearest one upwards')
    .option('--store <url>', 'where runs are kept, instead of sqlite:.piton/piton.db')
    .option('-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeErr: () => {},
      ...(output && {
        writeOut: (text) => void output.write(text),
        getOutHelpWidth: () => output.columns,
      }),
    })
    .exitOverride();
  return program.addHelpText(
    'after',
    '\nA run is named by the beginning of its id; without one, the latest is meant.\nMore about a command: piton <command> --help',
  );
}

function addCommand(program: Command, { name, summary, group, isHidden = false }: CommandEntry): Command {
  return program.command(name, { hidden: isHidden }).description(summary).helpGroup(group);
}

function describeCommand(command: Command, spec: CommandSpec): Command {
  const width = Math.max(...spec.examples.map(([line]) => line.length));
  const lines = spec.examples.map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}`);
  return spec.configure(command).addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

function commandNameIn(args: readonly string[]): string | undefined {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]!;
    if (!arg.startsWith('-')) return arg;
    if (withValue.has(arg)) index++;
  }
  return undefined;
}

function entryOf(name: string): CommandEntry {
  const entry = commandTable.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const close = nearest(
    name,
    commandTable.filter(({ isHidden }) => isHidden !== true).map((candidate) => candidate.name),
  );
  throw new PitonError('USAGE_INVALID', `There is no command ${name}.`, {
    remedy: close === undefined ? 'See all of them with piton --help.' : `Did you mean piton ${close}?`,
  });
}

async function parse(program: Command, args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error, program, commandNameIn(args));
  }
}

function usageError({ message }: CommanderError, program: Command, name: string | undefined): PitonError {
  const [, what = message, guess] = /^(?:error: )?([^\n]*)(?:\n\((.*)\))?/.exec(message) ?? [];
  const command = program.commands.find((candidate) => candidate.name() === name);
  const usage =
    /argument/.test(what) && command !== undefined ? `Write piton ${name} ${command.usage()}. ` : '';
  const help = `${usage}See piton ${name === undefined ? '' : `${name} `}--help.`;
  const said = /[.?!]$/.test(what) ? what : `${what}.`;
  return new PitonError('USAGE_INVALID', said.charAt(0).toUpperCase() + said.slice(1), {
    remedy: guess === undefined ? help : `${guess} ${help}`,
  });
}
