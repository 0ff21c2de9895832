import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { open, type Piton } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const binary = fileURLToPath(new URL('../../bin/piton.js', import.meta.url));

export interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder in which the real command line is called. */
export interface Project {
  readonly folder: string;
  /** Calls `piton` with arguments, in the project's folder unless another is named. */
  piton(args: readonly string[], options?: CallOptions): Promise<Answer>;
  /** The same with `--json`, parsed. */
  json(args: readonly string[]): Promise<unknown>;
  write(file: string, content: string): string;
  /** Opens the project's store through the library, as another program would. */
  withStore<T>(use: (piton: Piton) => Promise<T>): Promise<T>;
}

interface CallOptions {
  readonly in?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; without it there is none. */
  readonly input?: string;
}

export function newProject(): Project {
  const folder = temporaryFolder();
  const piton: Project['piton'] = (args, options = {}) =>
    call(args, { ...options, in: join(folder, options.in ?? '.') });
  return {
    folder,
    piton,
    async json(args) {
      const { stdout, stderr } = await piton([...args, '--json']);
      if (stdout === '') throw new Error(`no JSON, but: ${stderr}`);
      return JSON.parse(stdout);
    },
    write(file, content) {
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    async withStore(use) {
      await using store = await open({ store: `sqlite:${folder}/.piton/piton.db`, durability: 'process' });
      return await use(store);
    },
  };
}

async function call(args: readonly string[], { in: cwd, env = {}, input }: CallOptions): Promise<Answer> {
  const child = spawn(process.execPath, [binary, ...args], {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, PITON_DURABILITY: 'process', NO_COLOR: '', ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  const exit = once(child, 'exit');
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), exit]);
  return { code: code as number | null, stdout, stderr };
}
