import type { Command } from 'commander';
import { PitonError, systemClock } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { Piton } from '../../library/index.ts';
import type { Output } from './output/index.ts';
import { makeFolder } from './project-folder.ts';
import { isStoreOutside, storeIdentity } from './trust/store-identity.ts';

/** What a command was called with. */
export interface ContextParts {
  /** Where it was called. */
  readonly directory: string;
  /** How this command line is started again, in a process of its own, before its arguments. */
  readonly program: readonly string[];
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  stdin(): NodeJS.ReadStream;
  readonly config: Config;
  readonly output: Output;
  /** All commands with their arguments and options. */
  commands(): Promise<Command>;
}

/** What every command works with. */
export interface Context extends ContextParts {
  now(): number;
  /** Whether anything has been kept here yet. */
  hasStore(): boolean;
  /** Piton on the project's store, which is made if need be. The same one each time; the frame closes it. */
  open(): Promise<Piton>;
  /** The same, for commands that only make sense where there are runs. Throws `NO_PROJECT`, `TRUST_NEEDED`. */
  openExisting(): Promise<Piton>;
  /** Of the configuration what may be used: of a project that is not trusted, nothing that executes or leads elsewhere. */
  granted(): Promise<Config>;
  /** Before anything of the project is executed. Throws `TRUST_NEEDED`. */
  requireTrust(): Promise<void>;
}

export interface OpenedContext extends Context {
  close(): Promise<void>;
}

export function createContext(parts: ContextParts): OpenedContext {
  const { config, env } = parts;
  let opened: Promise<Piton> | undefined;
  let trusting: Promise<void> | undefined;
  const hasStore = (): boolean => config.storeFile === undefined || storeIdentity(config) !== undefined;
  const granted = (): Promise<Config> => grantedBy(config, env);
  const openOnce = (): Promise<Piton> => (opened ??= openPiton(parts, granted));
  return {
    ...parts,
    now: () => systemClock.now(),
    hasStore,
    granted,
    // Asked once, whatever the answer was.
    requireTrust: () => (trusting ??= trustNow(parts)),
    async open() {
      if (!config.isProject || !hasStore()) {
        const { trustWhatIsMade } = await import('./trust/project-trust.ts');
        trustWhatIsMade(config, env);
      }
      makeFolder(config);
      return openOnce();
    },
    async openExisting() {
      if (!hasStore()) throw noStore(config);
      return openOnce();
    },
    async close() {
      // What could not be opened was reported, and there is nothing to close.
      const piton = await opened?.catch(() => undefined);
      await piton?.close();
    },
  };
}

async function trustNow(parts: ContextParts): Promise<void> {
  const { requireTrust } = await import('./trust/ask.ts');
  await requireTrust(parts);
}

/** Most projects have no configuration of their own: then there is nothing to ask. */
async function grantedBy(config: Config, env: Context['env']): Promise<Config> {
  if (config.text === undefined) return config;
  const { isConfigTrusted } = await import('./trust/project-trust.ts');
  if (isConfigTrusted(config, env)) return config;
  const { withoutGrants } = await import('./trust/without-grants.ts');
  return withoutGrants(config);
}

/** A project could make its reader open a store of another one. */
async function assertOwnStore({ config, env, directory }: ContextParts): Promise<void> {
  if (!isStoreOutside(config)) return;
  const { isConfigTrusted, trustNeeded } = await import('./trust/project-trust.ts');
  if (isConfigTrusted(config, env)) return;
  throw trustNeeded(config.root, directory, `its store is elsewhere, ${config.store}`);
}

async function openPiton(parts: ContextParts, granted: Context['granted']): Promise<Piton> {
  await assertOwnStore(parts);
  const config = await granted();
  const { open } = await import('../../assemble.ts');
  const { store, spool, durability, leaseMs, graceMs, mirror, agents, secrets, budgetPerDay, idleTimeoutMs } =
    config;
  const { workspaces, remotes, delivery, inheritEnv } = config;
  return open({
    store,
    environment: parts.env,
    spool,
    durability,
    leaseMs,
    graceMs,
    ...(mirror !== undefined && { mirror }),
    ...(Object.keys(agents).length > 0 && { agents }),
    ...(secrets.length > 0 && { secrets }),
    inheritEnv,
    ...(budgetPerDay !== undefined && { budgetPerDay }),
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    ...(workspaces.cleanup !== undefined && { cleanup: workspaces.cleanup }),
    ...(workspaces.disposable !== undefined && { disposable: workspaces.disposable }),
    remotes,
    delivery,
  });
}

function noStore({ root, isProject }: Config): PitonError {
  const what = isProject ? `No run has been started in ${root} yet` : `There is no Piton project in ${root}`;
  return new PitonError('NO_PROJECT', `${what}.`, {
    root,
    remedy: isProject
      ? 'Start one: piton run <workflow>. If there were some, what git still has of them: piton workspace list.'
      : 'Make one with piton init, or go to (or name with --root) the folder of a project.',
  });
}
