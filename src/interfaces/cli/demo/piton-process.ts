import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface Call {
  /** How this command line is started, before its arguments. */
  readonly program: readonly string[];
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface PitonProcess {
  readonly child: ChildProcess;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** `piton` in a process of its own, as somebody would type it; each line that it prints is handed on. */
export function runPiton({ program, args, cwd, env }: Call, print: (line: string) => void): PitonProcess {
  const [file, ...first] = program;
  // In a session of its own: Ctrl-C reaches the demo alone, which then ends what it has started.
  const child = spawn(file!, [...first, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
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
