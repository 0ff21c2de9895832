export type { Config, ConfigFlags } from './config.ts';
export { resolveConfig } from './resolve-config.ts';
