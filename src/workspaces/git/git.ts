import { createHmac } from 'node:crypto';
import { effect, keyIn, PitonError, stateFolder, systemClock } from '../../base/index.ts';
import type { ConfigEntry } from './config-file.ts';
import { gitEnvironment, gitSettings, sessionVariable } from './git-environment.ts';
import { failureOf, type Attempted } from './git-failures.ts';
import { runProcess, type ProcessEnd } from './git-process.ts';
import { GitSession } from './git-session.ts';
import {
  GitSessions,
  SessionEnded,
  type Asked,
  type SessionName,
  type SessionOrder,
} from './git-sessions.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';
import { assertPlainRecord } from './plain-record.ts';
import { assertOwnRefs } from './repository-parts.ts';
import { RepositoryConfigs, type SteeringChange } from './repository-config.ts';

export interface GitOptions {
  /** What git starts from, usually that of the process. What could lead it astray is taken out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `full`: what a call has done survives a power loss. `process`: it survives any kill. */
  readonly durability: 'full' | 'process';
  /** Put into the environment of every git, so that the driver's helpers can be found after its death. */
  readonly marker?: Readonly<Record<string, string>>;
  /** A git that stays, and is silent for so long while it owes an answer, is taken for one that hangs. */
  readonly answerMs?: number;
  /** A lock file of ours that nobody seems to hold is taken for a dead git's after so long. */
  readonly staleLockMs?: number;
}

export interface GitRun {
  readonly cwd: string;
  readonly input?: string | Uint8Array;
  /** An open file that is its input instead, from where that was read to. */
  readonly inputFile?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are answers, not failures. */
  readonly okCodes?: readonly number[];
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Is given what git prints, as it comes: then there is no limit, and the result has none of it. */
  readonly onPiece?: (piece: Buffer) => void;
  /** The name of what is changed by it: `before:git.<effect>` and `after:git.<effect>` are places to be killed at. */
  readonly effect?: string;
  /** Under the repository's own configuration, whoever wrote it: only for what starts no program at all. */
  readonly isPlain?: boolean;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  /** Paths may be any bytes: whoever hands them on must not take them for text. */
  readonly bytes: Buffer;
  readonly stderr: string;
}

const defaultTimeoutMs = 10 * 60_000;
const defaultMaxBytes = 128 * 1024 * 1024;
/** How git ends when it does not understand its arguments. */
const usageError = 129;
/** It merges without a working tree, and takes questions that end with a zero. */
export const oldestGit = { major: 2, minor: 38 } as const;

/** Runs git without editor, prompts, hooks or surprises. */
export class Git {
  readonly durability: 'full' | 'process';
  readonly staleLockMs: number;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #settings: readonly string[];
  readonly #answerMs: number;
  readonly #configs: RepositoryConfigs;
  readonly #sessions = new Map<string, GitSessions>();
  readonly #keys: string;
  #key: Buffer | undefined;
  #version: Promise<GitVersion> | undefined;

  constructor(options: GitOptions) {
    this.durability = options.durability;
    this.staleLockMs = options.staleLockMs ?? 10_000;
    this.#answerMs = options.answerMs ?? 120_000;
    this.#environment = gitEnvironment(options.environment, options.marker ?? {});
    this.#settings = gitSettings(options.durability);
    this.#keys = stateFolder('keys', options.environment);
    this.#configs = new RepositoryConfigs(stateFolder('git', options.environment), options.durability);
  }

  /**
   * From now on, what the repository's configuration starts is what it says now. `isFirst`: unless that was recorded before. Of what
   * is recorded nowhere, nothing is ever started.
   */
  recordConfig({ commonDir }: RepositoryPlace, { isFirst }: { readonly isFirst: boolean }): Promise<void> {
    const flatten = async () => {
      const args = ['config', '--list', '-z', '--local', '--includes'];
      const { stdout } = await this.run(args, { ...inRepository({ commonDir }), isPlain: true });
      return splitAtZeros(stdout).map(entryOf);
    };
    return this.#configs.record(commonDir, { isFirst, flatten });
  }

  /** Tells that a text is ours, where others could have written it. Throws `KEY_UNUSABLE`, `FOLDER_UNSAFE`. */
  sealOf(text: string): string {
    this.#key ??= keyIn(this.#keys, 'git');
    return createHmac('sha256', this.#key).update(text).digest('hex');
  }

  /** A folder for files that are only ours, and concern that repository. */
  ownFolder({ commonDir }: RepositoryPlace): string {
    return this.#configs.folderBeside(commonDir);
  }

  /** What steers git in that repository, and is not as it was recorded. */
  configChanges({ commonDir }: RepositoryPlace): Promise<readonly SteeringChange[]> {
    return this.#configs.changes(commonDir);
  }

  /** Throws GIT_FAILED unless git ends with one of `okCodes` (0 if none are given). */
  run(args: readonly string[], options: GitRun): Promise<GitResult> {
    const { effect: name } = options;
    return name === undefined
      ? this.#run(args, options)
      : effect(`git.${name}`, () => this.#run(args, options));
  }

  async #run(args: readonly string[], options: GitRun): Promise<GitResult> {
    const limits = {
      timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
      maxBytes: options.maxBytes ?? defaultMaxBytes,
    };
    const { env, settings, shown } = await this.#confine(options);
    const end = shown(
      await runProcess({
        args: [...settings, ...args],
        cwd: options.cwd,
        env,
        input: options.input ?? '',
        ...(options.inputFile !== undefined && { inputFile: options.inputFile }),
        ...(options.onPiece !== undefined && { onPiece: options.onPiece }),
        ...limits,
      }),
    );
    const okCodes = options.okCodes ?? [0];
    if (end.endedFor !== undefined || end.code === undefined || !okCodes.includes(end.code)) {
      throw await this.#failureOf(end, { args, cwd: options.cwd, ...limits });
    }
    return { code: end.code, stdout: end.bytes.toString('utf8'), bytes: end.bytes, stderr: end.stderr };
  }

  /** The answer of a command that gives one line; undefined if it ended with 1, which is how git says "there is none". */
  async ask(args: readonly string[], options: GitRun): Promise<string | undefined> {
    const { code, stdout } = await this.run(args, { okCodes: [0, 1], ...options });
    return code === 1 ? undefined : stdout.replace(/\n$/, '');
  }

  /**
   * Asks a git that stays for the next question; `run` starts one for each. Throws GIT_FAILED: of a change, it is not known then
   * whether it was made.
   */
  async converse<T>(name: SessionName, repository: RepositoryPlace, asked: Asked<T>): Promise<T> {
    const { commonDir } = repository;
    const sessions =
      this.#sessions.get(commonDir) ?? new GitSessions(repository, (order) => this.#start(order));
    this.#sessions.set(commonDir, sessions);
    try {
      return await sessions.ask(name, asked);
    } catch (error) {
      if (!(error instanceof SessionEnded)) throw error;
      throw await this.#failureOf(error.end, {
        ...sessions.attempted(name),
        timeoutMs: this.#answerMs,
        maxBytes: defaultMaxBytes,
      });
    }
  }

  /** Ends what waits for questions. It may be asked again. */
  close(): void {
    for (const sessions of this.#sessions.values()) sessions.close();
  }

  /** What git is to take for the repository's configuration. Where it is not told, it gets no chance to start anything by it. */
  async #confine({ env, isPlain }: Pick<GitRun, 'env' | 'isPlain'>): Promise<Confinement> {
    const { GIT_COMMON_DIR: commonDir, GIT_DIR: gitDir } = env ?? {};
    if (commonDir !== undefined && gitDir !== undefined) {
      await assertOwnRefs(commonDir, gitDir);
      if (gitDir !== commonDir) await assertPlainRecord(gitDir);
    }
    if (commonDir === undefined || isPlain === true)
      return { env: { ...this.#environment, ...env, ...unconnected }, settings: this.#settings, shown: asIs };
    const { folder, settings } = await this.#configs.confine(commonDir, gitDir);
    return {
      env: { ...this.#environment, ...env, GIT_COMMON_DIR: folder },
      settings: [...this.#settings, ...settings],
      shown: (end) => ({ ...end, stderr: end.stderr.replaceAll(folder, commonDir) }),
    };
  }

  async #start({ args, cwd, env: given }: SessionOrder): Promise<GitSession> {
    const { env, settings } = await this.#confine({ env: given });
    return new GitSession({
      args: [...settings, ...args],
      cwd,
      env: { ...env, [sessionVariable]: String(systemClock.now()) },
      timeoutMs: this.#answerMs,
      maxBytes: defaultMaxBytes,
    });
  }

  async #failureOf(end: ProcessEnd, attempted: Attempted): Promise<PitonError> {
    // It does not know an option: mostly, it is too old.
    if (end.code === usageError) await requireGit(this, { ...oldestGit, for: 'Work in worktrees' });
    return failureOf(end, attempted);
  }

  /** Asked once: a git that is exchanged under a running Piton is met by its own errors. */
  version(): Promise<GitVersion> {
    return (this.#version ??= readVersion(this));
  }
}

interface Confinement {
  readonly env: Readonly<Record<string, string>>;
  readonly settings: readonly string[];
  /** Its words, as if it had worked in the repository. */
  shown(end: ProcessEnd): ProcessEnd;
}

/** Of a partial clone, git fetches what is missing, by programs that the configuration names. */
const unconnected = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' };

function asIs(end: ProcessEnd): ProcessEnd {
  return end;
}

function entryOf(text: string): ConfigEntry {
  const end = text.indexOf('\n');
  return end < 0 ? { key: text } : { key: text.slice(0, end), value: text.slice(end + 1) };
}

export interface GitVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

async function readVersion(git: Git): Promise<GitVersion> {
  const { stdout } = await git.run(['version'], { cwd: '/' });
  const [, text = '', major, minor] = /((\d+)\.(\d+)[^\s]*)/.exec(stdout) ?? [];
  return Object.freeze({ text, major: Number(major), minor: Number(minor) });
}

/** Some of what we need came with a certain git: an older one is refused by name, not met by a strange error. */
export async function requireGit(
  git: Git,
  needed: { major: number; minor: number; for: string },
): Promise<void> {
  const { text, major, minor } = await git.version();
  if (major > needed.major || (major === needed.major && minor >= needed.minor)) return;
  const wanted = `${needed.major}.${needed.minor}`;
  throw new PitonError('GIT_TOO_OLD', `${needed.for} needs git ${wanted}; here is git ${text}.`, {
    found: text,
    needed: wanted,
    remedy: `Install git ${wanted} or later.`,
  });
}
