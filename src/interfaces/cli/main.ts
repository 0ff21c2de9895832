import packageJson from '../../../package.json' with { type: 'json' };
import { createOutput, type Output } from './output/index.ts';

/** Runs a command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const output = createOutput(process, argv.includes('--json'));
  const code = asksForVersion(argv) ? printVersion(output) : await runCall(argv, output);
  await output.flush();
  // What a workflow in TypeScript has left open must not keep a finished command alive.
  process.exit(code);
}

/** Answered before anything else is imported. */
function asksForVersion(argv: readonly string[]): boolean {
  return argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V');
}

function printVersion(output: Output): number {
  output.write(`${packageJson.version}\n`);
  return 0;
}

async function runCall(argv: readonly string[], output: Output): Promise<number> {
  const [{ guardProcess }, { runCommand }, { currentFolder }] = await Promise.all([
    import('./guard-process.ts'),
    import('./run-command.ts'),
    import('./current-folder.ts'),
  ]);
  guardProcess(output);
  const { env } = process;
  const program = [process.execPath, ...process.execArgv, process.argv[1]!];
  return runCommand(argv, output, { directory: currentFolder, program, env, stdin: standardInput });
}

function standardInput(): NodeJS.ReadStream {
  return process.stdin;
}
