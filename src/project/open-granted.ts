import { open, restoreStore, type OpenOptions, type Restored } from '../assemble.ts';
import type { Config } from '../config/index.ts';
import type { Piton } from '../library/index.ts';
import type { Environment } from './surroundings.ts';

interface Opening {
  readonly environment: Environment;
  readonly permit: () => Promise<void>;
}

/** `config`: only what may be used of it. */
export function openGranted(config: Config, opening: Opening): Promise<Piton> {
  return open(openOptions(config, opening));
}

/** Puts a backup in the place of the store; default: the newest. */
export function restoreGranted(
  config: Config,
  opening: Opening,
  backup: string | undefined,
): Promise<Restored> {
  return restoreStore(openOptions(config, opening), backup);
}

function openOptions(config: Config, { environment, permit }: Opening): OpenOptions {
  const { store, spool, durability, leaseMs, graceMs, mirror, agents, secrets, budgetPerDay, idleTimeoutMs } =
    config;
  const { workspaces, remotes, delivery, inheritEnv, backups, onDamage } = config;
  return {
    store,
    environment,
    permit,
    spool,
    durability,
    leaseMs,
    graceMs,
    ...(mirror !== undefined && { mirror }),
    ...(Object.keys(agents).length > 0 && { agents }),
    ...(secrets.length > 0 && { secrets }),
    inheritEnv,
    ...(budgetPerDay !== undefined && { budgetPerDay }),
    idleTimeoutMs,
    ...(workspaces.cleanup !== undefined && { cleanup: workspaces.cleanup }),
    ...(workspaces.disposable !== undefined && { disposable: workspaces.disposable }),
    remotes,
    delivery,
    onDamage,
    ...(backups !== undefined && { backups }),
  };
}
