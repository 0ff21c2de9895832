import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { stateFolder } from '../base/index.ts';
import { cachesInstead, fetchedPrograms, foldersOf, packageCaches } from './agent-folders.ts';
import { findSandbox, type Availability } from './availability.ts';
import { bindingsOf, type Surroundings } from './bindings.ts';
import { bubblewrapArguments, type Contained } from './bubblewrap.ts';
import { seatbeltProfile } from './seatbelt.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** One process that is to be contained. */
export interface SandboxRequest {
  /** Where the task works, and where the process begins in it. */
  readonly place: string;
  readonly directory: string;
  /** The folder that is git's for all places, if the task works in a repository. */
  readonly commonDir?: string;
  /** Of a worktree of its own. */
  readonly branch?: string;
  /** Of the attempt, in the spool. */
  readonly attempt: string;
  readonly program: string;
  readonly env: Environment;
  /** Its name, if it is an agent. */
  readonly agent?: string;
  /** Folders in the place that lead elsewhere, and are shared on purpose. */
  readonly caches: readonly string[];
  /** Patterns of what the task may write. */
  readonly writes: readonly string[];
  readonly hasNetwork: boolean;
  /** False: not even in its place. */
  readonly mayWrite: boolean;
}

/** What other tasks and runs keep beside the spool. */
const folders = ['worktrees', 'directories', 'archive', 'from-remotes'];

/** What programs obey that are started in the place later: not to be changed, unless the task says that it writes there. */
const steering = [
  '.git',
  '.piton',
  '.claude',
  '.codex',
  '.gemini',
  '.opencode',
  '.mcp.json',
  'opencode.json',
  'opencode.jsonc',
];

/** What git and Piton believe of a worktree. */
const recordFiles = ['commondir', 'gitdir', 'config.worktree', 'piton.json', 'locked'];

export class Sandbox {
  readonly #environment: Environment;
  readonly #spool: string;
  #found: Promise<Availability> | undefined;

  /** `spool`: its folder; beside it lies all that is the project's own. */
  constructor({ environment, spool }: { readonly environment: Environment; readonly spool: string }) {
    this.#environment = environment;
    this.#spool = resolve(spool);
  }

  /** Found out once: it does not change while we live. */
  availability(): Promise<Availability> {
    return (this.#found ??= findSandbox(this.#environment));
  }

  /** The words to be put before its command line. */
  async wordsFor(request: SandboxRequest): Promise<string[]> {
    const found = await this.availability();
    if (found.by === 'none') throw new Error('there is no sandbox');
    const { directory, hasNetwork } = request;
    const { sessions, apart } = foldersOf(request.agent, request.env);
    makeFolders([...sessions, ...apart]);
    const temporary = join(request.attempt, 'own', 'tmp');
    const contained: Contained = {
      bindings: bindingsOf(this.#surroundings(request)),
      directory: realpathSync(directory),
      temporary,
      hasNetwork,
      variables: cachesInstead(request.env, existsSync),
    };
    if (found.by === 'seatbelt') return [found.program, '-p', seatbeltProfile(contained)];
    return [found.program, ...bubblewrapArguments(contained)];
  }

  #surroundings(request: SandboxRequest): Surroundings {
    const { env, attempt } = request;
    const place = realpathSync(request.place);
    mkdirSync(this.#spool, { recursive: true, mode: 0o700 });
    const spool = realpathSync(this.#spool);
    const state = dirname(spool);
    const agent = foldersOf(request.agent, env);
    const temporary = realOf('/tmp', '/var/tmp');
    const services = realOf('/run', '/var/run');
    const git = gitOf(request, place);
    const own = git?.own === undefined ? [] : recordFiles.map((name) => join(git.own!.gitDir, name));
    return {
      place,
      mayWrite: request.mayWrite,
      ...(git !== undefined && { git }),
      // Of a store that is only in memory, it is the folder for all that is temporary.
      ...(!temporary.includes(state) && { state }),
      others: [spool, ...realOf(...folders.map((name) => join(state, name)))],
      attempt: join(spool, basename(attempt)),
      secretFolders: realOf(dirname(stateFolder('keys')), dirname(stateFolder('keys', env))),
      temporary,
      services,
      needed: [
        ...this.#needed(request).filter((path) => [...temporary, ...services].some(isAbove(path))),
        ...programsIn(temporary, request),
      ],
      caches: realOf(...packageCaches(env), ...request.caches),
      sessions: realOf(...agent.sessions),
      apart: realOf(...agent.apart, ...fetchedPrograms(env)),
      steering: realOf(
        ...agent.settings,
        ...own,
        ...steering.filter((name) => !isNamed(name, request.writes)).map((name) => join(place, name)),
      ),
    };
  }

  /** Where these lie in a folder that is covered, they have to be laid out again. */
  #needed({ env, place }: SandboxRequest): string[] {
    const home = env['HOME'];
    return realOf(
      '/etc/resolv.conf',
      '/run/current-system',
      '/run/wrappers',
      '/run/opengl-driver',
      ...(home === undefined ? [] : [home]),
      // The project, and this program itself: agents may have one of ours beside them.
      dirname(dirname(this.#spool)),
      place,
      join(import.meta.dirname, '..', '..'),
      process.execPath,
    );
  }
}

/** An agent that is contained cannot make them itself. Those that have a dot in their name are files, or the agent's home. */
function makeFolders(sessions: readonly string[]): void {
  for (const folder of sessions.filter((path) => !basename(path).includes('.'))) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      // Where it cannot be made, the agent says what it misses.
    }
  }
}

/** What a program needs lies around it, nobody knows how far: all that is below the temporary folder there. */
function programsIn(temporary: readonly string[], { env, program }: SandboxRequest): string[] {
  const known = [program, ...(env['PATH'] ?? '').split(':')].filter(isAbsolute);
  return realOf(...known, ...known.map((path) => join(path, program))).flatMap((path) => {
    const folder = temporary.find((one) => path.startsWith(`${one}/`));
    return folder === undefined ? [] : [join(folder, path.slice(folder.length + 1).split('/')[0]!)];
  });
}

/** Without links; what is not there is left out. */
function realOf(...paths: readonly string[]): string[] {
  return [...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))];
}

function isAbove(path: string): (folder: string) => boolean {
  return (folder) => path.startsWith(`${folder}/`);
}

/** By its name: a pattern for everything does not mean these. */
function isNamed(name: string, writes: readonly string[]): boolean {
  return writes.some((pattern) => pattern === name || pattern.startsWith(`${name}/`));
}

function gitOf({ commonDir, branch }: SandboxRequest, place: string): Surroundings['git'] {
  if (commonDir === undefined || !existsSync(commonDir)) return undefined;
  const shared = realpathSync(commonDir);
  const gitDir = branch === undefined ? undefined : linkedFolder(place);
  // Only git's own record of a worktree of this repository: the link is the agent's to write, if it was not contained before.
  if (gitDir === undefined || dirname(gitDir) !== join(shared, 'worktrees')) return { commonDir: shared };
  const branches = realOf(dirname(join(shared, branch!)), dirname(join(shared, 'logs', branch!)));
  return { commonDir: shared, own: { gitDir, branches } };
}

function linkedFolder(place: string): string | undefined {
  try {
    const path = /^gitdir: (.+)\n?$/.exec(readFileSync(join(place, '.git'), 'utf8'))?.[1];
    return path === undefined ? undefined : realpathSync(resolve(place, path));
  } catch {
    return undefined;
  }
}
