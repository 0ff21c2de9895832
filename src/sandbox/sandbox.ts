import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { loaderVariables, stateFolder } from '../base/index.ts';
import { cachesInstead, fetchedPrograms, foldersOf, packageCaches } from './agent-folders.ts';
import { findSandbox, type Availability } from './availability.ts';
import { bindingsOf, type Surroundings } from './bindings.ts';
import { bubblewrapArguments, type Contained } from './bubblewrap.ts';
import { isWithin, realBeside, realOf } from './follow-links.ts';
import { gitAround, recordFilesOf } from './git-around.ts';
import { openSockets } from './open-sockets.ts';
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

/** Where the machine's services listen. */
const services = ['/run', '/var/run'];

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

interface Found extends Pick<Surroundings, 'place' | 'temporary'> {
  readonly state: string;
  readonly git: Surroundings['git'] | undefined;
}

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
    this.#makeFolders(request);
    const temporary = join(request.attempt, 'own', 'tmp');
    const contained: Contained = {
      bindings: bindingsOf(this.#surroundings(request)),
      directory: realpathSync(directory),
      temporary,
      hasNetwork,
      variables: { ...loaderVariables(request.env), ...cachesInstead(request.env, existsSync) },
    };
    if (found.by === 'seatbelt') {
      const variables = Object.entries(contained.variables).map(([name, value]) => `${name}=${value}`);
      return [found.program, '-p', seatbeltProfile(contained), '/usr/bin/env', ...variables];
    }
    return [found.program, ...bubblewrapArguments(contained)];
  }

  #surroundings(request: SandboxRequest): Surroundings {
    const place = realpathSync(request.place);
    const spool = realpathSync(this.#spool);
    const state = dirname(spool);
    const temporary = realOf('/tmp', '/var/tmp');
    const git = gitAround(request, place);
    return {
      place,
      mayWrite: request.mayWrite,
      ...(git !== undefined && { git }),
      // Of a store that is only in memory, it is the folder for all that is temporary.
      ...(!temporary.includes(state) && { state }),
      others: [spool, ...realOf(...folders.map((name) => join(state, name)))],
      attempt: join(spool, basename(request.attempt)),
      secretFolders: realOf(...secretFolders(request.env)),
      temporary,
      services: realOf(...services),
      sockets: realOf(...openSockets()),
      ...this.#granted(request, { place, state, temporary, git }),
    };
  }

  /** What is found by names that the task, or the agent before it, may have had a hand in. */
  #granted(
    request: SandboxRequest,
    { place, state, temporary, git }: Found,
  ): Pick<Surroundings, 'needed' | 'caches' | 'sessions' | 'apart' | 'steering'> {
    const { env, directory } = request;
    const agent = foldersOf(request.agent, env);
    const inPlace = realBeside([place]);
    const from = (paths: readonly string[]): string[] => paths.map((path) => resolve(directory, path));
    const sessions = inPlace(...from(agent.sessions));
    const shared = realOf(...request.caches).filter(
      (path) => isSharedCache(path, state) || isWithin(place, path),
    );
    const caches = [...inPlace(...from(packageCaches(env))), ...shared];
    const beside = realBeside([place, ...sessions, ...caches]);
    const covered = [...temporary, ...realOf(...services)];
    const mine = steering.filter((name) => name === '.git' || !isNamed(name, request.writes));
    return {
      needed: [
        ...beside(...this.#needed(request)).filter((path) => covered.some(isAbove(path))),
        ...programsIn(temporary, request, beside),
      ],
      caches,
      sessions,
      apart: beside(...from([...agent.apart, ...fetchedPrograms(env)])),
      steering: [
        ...beside(...from(agent.settings)),
        ...recordFilesOf(git),
        ...beside(...mine.map((name) => join(place, name))),
      ],
    };
  }

  /** What would else be made later, by whoever comes first. */
  #makeFolders({ agent, env }: SandboxRequest): void {
    const { sessions, apart } = foldersOf(agent, env);
    mkdirSync(this.#spool, { recursive: true, mode: 0o700 });
    const programs = fetchedPrograms(env).filter((folder) => existsSync(dirname(folder)));
    makeFolders([...sessions, ...apart, ...programs, ...secretFolders(process.env)]);
  }

  /** Where these lie in a folder that is covered, they have to be laid out again. */
  #needed({ env, place }: SandboxRequest): string[] {
    const home = env['HOME'];
    return [
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
    ];
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
function programsIn(
  temporary: readonly string[],
  { env, program }: SandboxRequest,
  beside: (...paths: readonly string[]) => string[],
): string[] {
  const known = [program, ...(env['PATH'] ?? '').split(':')].filter(isAbsolute);
  return beside(...known, ...known.map((path) => join(path, program))).flatMap((path) => {
    const folder = temporary.find((one) => path.startsWith(`${one}/`));
    return folder === undefined ? [] : [join(folder, path.slice(folder.length + 1).split('/')[0]!)];
  });
}

/** Of the user: keys, and what was decided about trust. They may be made after we have looked. */
function secretFolders(env: Environment): string[] {
  return [dirname(stateFolder('keys')), dirname(stateFolder('keys', env))];
}

/** `caches/<repository>/<path>`: where the links lead that were made for the task. */
function isSharedCache(path: string, state: string): boolean {
  const caches = join(state, 'caches');
  return isWithin(caches, path) && path.slice(caches.length + 1).split('/').length >= 2;
}

function isAbove(path: string): (folder: string) => boolean {
  return (folder) => path.startsWith(`${folder}/`);
}

/** By its name: a pattern for everything does not mean these. */
function isNamed(name: string, writes: readonly string[]): boolean {
  return writes.some((pattern) => pattern === name || pattern.startsWith(`${name}/`));
}
