export type { Config } from './config.ts';
export { resolveConfig } from './resolve-config.ts';
