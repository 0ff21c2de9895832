export type { Config } from './config.ts';
export { checkConfigFile, checkEnvironment, type ConfigReport } from './check-config.ts';
export { configJsonSchema } from './config-json-schema.ts';
export type { ConfigProblem } from './config-source.ts';
export { migrateConfigFile, type MigratedConfig } from './migrate-config.ts';
export { resolveConfig } from './resolve-config.ts';
export { settingsOf, type ConfigSetting } from './shown-settings.ts';
export { watchConfig } from './watch-config.ts';
export { withoutGrants } from './without-grants.ts';
