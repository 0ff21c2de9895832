export type { Config, ConfigFlags, Surroundings } from './config.ts';
export { resolveConfig } from './resolve-config.ts';
