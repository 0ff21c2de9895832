import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How an agent's own program ended. */
export interface Talk {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Opening {
  readonly argv: readonly string[];
  readonly directory: string;
  /** Added to what is around us. */
  readonly env: Readonly<Record<string, string>>;
}

const heardByBoth = ['SIGINT', 'SIGQUIT', 'SIGHUP'] as const;

function stay(): void {}

/**
 * Lets a program have the terminal, or whatever there is instead of one, until it ends. What is typed is for the program: Ctrl-C
 * too, which reaches both of us. Who asks us to end means the program; we stay until it has ended, to give back what it
 * was lent.
 */
export async function talk(
  { argv, directory, env }: Opening,
  around: Readonly<Record<string, string | undefined>>,
): Promise<Talk> {
  const [program = '', ...args] = argv;
  for (const signal of heardByBoth) process.on(signal, stay);
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...around, ...env },
    stdio: 'inherit',
  });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', pass);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return { code, signal };
  } finally {
    for (const signal of heardByBoth) process.off(signal, stay);
    process.off('SIGTERM', pass);
  }
}
