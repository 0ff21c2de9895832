import type { Config } from '../../config/index.ts';

/** What of a configuration is left to those who only read: nothing that names a program, a machine or a folder to write to. */
export function withoutGrants(config: Config): Config {
  const agents = Object.entries(config.agents).map(([name, { tools }]) => [
    name,
    tools === undefined ? {} : { tools },
  ]);
  return {
    ...config,
    agents: Object.fromEntries(agents) as Config['agents'],
    remotes: {},
    delivery: {},
    mirror: undefined,
  };
}
