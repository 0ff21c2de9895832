import { open } from '../assemble.ts';
import type { Config } from '../config/index.ts';
import type { Piton } from '../library/index.ts';
import type { Environment } from './surroundings.ts';

interface Opening {
  readonly environment: Environment;
  readonly permit: () => Promise<void>;
}

/** `config`: only what may be used of it. */
export function openGranted(config: Config, { environment, permit }: Opening): Promise<Piton> {
  const { store, spool, durability, leaseMs, graceMs, mirror, agents, secrets, budgetPerDay, idleTimeoutMs } =
    config;
  const { workspaces, remotes, delivery, inheritEnv } = config;
  return open({
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
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    ...(workspaces.cleanup !== undefined && { cleanup: workspaces.cleanup }),
    ...(workspaces.disposable !== undefined && { disposable: workspaces.disposable }),
    remotes,
    delivery,
  });
}
