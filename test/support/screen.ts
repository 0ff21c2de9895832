/** A program on a terminal of its own, as a person would see it; needs tmux. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Screen {
  /** What is to be seen now; empty when the program has ended. */
  text(): string;
  press(...keys: readonly string[]): void;
  /** Ends it and all that it has started; when it returns, they are gone. */
  end(): Promise<void>;
}

export interface Shown {
  readonly argv: readonly string[];
  readonly directory: string;
  /** All of the environment. */
  readonly env: Readonly<Record<string, string>>;
}

export function hasTerminals(): boolean {
  return spawnSync('tmux', ['-V']).status === 0;
}

export function openScreen({ argv, directory, env }: Shown): Screen {
  const socket = join(temporaryFolder(), 'tmux');
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const variables = Object.entries({ TERM: 'xterm-256color', ...env }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const line = ['env', '-i', ...variables, ...argv].map(quoted).join(' ');
  tmux('new-session', '-d', '-x', '120', '-y', '50', '-c', directory, `exec ${line}`);
  const pid = Number(tmux('list-panes', '-F', '#{pane_pid}'));
  const end = async (): Promise<void> => {
    const family = familyOf(pid);
    // As when the window is closed: killed while it writes, Gemini CLI leaves half a session.
    family.forEach((member) => kill(member, 'SIGHUP'));
    const isGone = (): boolean => !family.some(isAlive);
    await eventually('the program on the terminal has ended', isGone, 5_000).catch(() => undefined);
    family.forEach((member) => kill(member, 'SIGKILL'));
    await eventually('the program on the terminal is gone', isGone);
  };
  onTestFinished(end);
  return {
    text() {
      try {
        return tmux('capture-pane', '-p');
      } catch {
        return '';
      }
    },
    press: (...keys) => void tmux('send-keys', ...keys),
    end,
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function familyOf(pid: number): readonly number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const family = [pid];
  for (const member of family)
    family.push(...pairs.flatMap(([child, parent]) => (parent === member ? [child!] : [])));
  return family;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
