import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GitCounter {
  /** With it, whoever starts git is counted; what git starts itself is not. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What is started from now on belongs to that phase. */
  phase(name: string): void;
  /** The arguments of each git, by phase. */
  read(): ReadonlyMap<string, readonly string[]>;
}

/** A `git` that goes first on the PATH, writes down its arguments, and becomes the real one. */
export function countGits(folder: string): GitCounter {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const bin = join(folder, 'counting');
  const log = join(folder, 'gits.log');
  mkdirSync(bin);
  writeFileSync(log, '');
  // One write of one line: several gits at once do not mix theirs.
  const script = `#!/bin/sh\nprintf '%s\\n' "$(printf '%s ' "$@" | tr '\\n' ' ')" >> '${log}'\nexec '${real}' "$@"\n`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  return {
    environment: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
    phase: (name) => appendFileSync(log, `# ${name}\n`),
    read: () => phasesIn(readFileSync(log, 'utf8')),
  };
}

function phasesIn(log: string): ReadonlyMap<string, readonly string[]> {
  const phases = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of log.split('\n').filter((one) => one !== '')) {
    if (line.startsWith('# ')) phases.set(line.slice(2), (current = phases.get(line.slice(2)) ?? []));
    else current.push(line.replace(/^(-c \S+ )+/, '').trim());
  }
  return phases;
}
