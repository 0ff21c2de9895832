import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { DemoProject } from './project.ts';

/** A process of its own that drives the demo's run, as `piton run` or `piton resume` in a shell would. */
export interface DriverProcess {
  readonly child: ChildProcess;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** These would lead it away from the demo's own project. */
const misleading: ReadonlySet<string> = new Set(['PITON_STORE', 'PITON_DURABILITY']);

export function startDriver(
  { folder }: DemoProject,
  args: readonly string[],
  print: (line: string) => void,
): DriverProcess {
  const own = Object.entries(process.env).filter(([name]) => !misleading.has(name));
  // The demo has written the project itself, and takes it away again.
  const env = { ...Object.fromEntries(own), PITON_TRUST: '1' };
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  for (const stream of [child.stdout, child.stderr]) printLines(stream, print);
  return { child, ended };
}

function printLines(stream: NodeJS.ReadableStream, print: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) print(line);
  });
}
