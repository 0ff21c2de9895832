import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { Agent } from './contract.ts';
import { shorten } from './json-fields.ts';

export type Detection =
  | {
      readonly path: string;
      /** As the CLI tells it; `unknown` if it could not be read. */
      readonly version: string;
      /** Whether it lies in the range the adapter was tested with. */
      readonly isTested: boolean;
    }
  | {
      readonly missing: string;
      /** Of what is there, but does not work. */
      readonly path?: string;
    };

export interface DetectOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A path or a name, instead of the agent's own. */
  readonly executable?: string;
  /** Where the program is started: shims of version managers obey files of that folder. Default: here. */
  readonly directory?: string;
  /** Default: 10000. */
  readonly timeoutMs?: number;
}

/** Looks for the agent's program and asks it for its version. */
export async function detectAgent(agent: Agent, options: DetectOptions): Promise<Detection> {
  const name = options.executable ?? agent.executable;
  if (name === '') return { missing: 'no program is named: give its command line in `args`' };
  const path = findExecutable(name, options.environment['PATH'] ?? '');
  if (path === undefined) return { missing: absence(name) };
  const answer = await ask([path, ...agent.versionCommand().slice(1)], options);
  if ('problem' in answer) {
    return { missing: `${path} is there but does not work: ${answer.problem}`, path };
  }
  const version = agent.parseVersion(answer.output) ?? 'unknown';
  return { path, version, isTested: isWithin(version, agent.tested) };
}

function absence(name: string): string {
  return name.includes('/') ? `${name} is not a program that can be run` : `\`${name}\` is not in PATH`;
}

/** As a shell would find it; undefined if there is none that may be run. */
export function findExecutable(name: string, searchPath: string): string | undefined {
  if (name.includes('/') || isAbsolute(name)) return isProgram(resolve(name)) ? resolve(name) : undefined;
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => resolve(join(folder, name))).find((path) => isProgram(path));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

type Answer = { readonly output: string } | { readonly problem: string };

function ask([path, ...args]: readonly string[], options: DetectOptions): Promise<Answer> {
  const { directory: cwd, environment, timeoutMs: timeout = 10_000 } = options;
  return new Promise((settle) => {
    const child = execFile(
      path!,
      args,
      { cwd, timeout, killSignal: 'SIGKILL', env: { ...environment }, maxBuffer: 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error === null) return settle({ output: `${stdout}\n${stderr}` });
        if (error.killed === true) return settle({ problem: `no answer within ${timeout / 1_000} s` });
        return settle({ problem: shorten(stderr.trim() || error.message, 300) });
      },
    );
    // A CLI that waits for input must see its end instead.
    child.stdin?.end();
  });
}

export function isWithin(version: string, range: Agent['tested']): boolean {
  if (range === undefined || version === 'unknown') return false;
  return compareVersions(version, range.from) >= 0 && compareVersions(version, range.to) <= 0;
}

/** By their numbers; what follows a hyphen does not count. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('-')[0]!.split('.').map(Number));
  for (let index = 0; index < 3; index += 1) {
    const difference = (left![index] ?? 0) - (right![index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
