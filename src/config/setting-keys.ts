/** The keys of a configuration, in the order in which they are told. */
export const settingKeys = [
  'version',
  'store',
  'durability',
  'mirror',
  'lease',
  'grace',
  'idle-timeout',
  'checkpoint',
  'max-parallel',
  'agents',
  'secrets',
  'inherit-env',
  'budget',
  'workspaces',
  'remotes',
  'delivery',
  'on-damage',
  'backups',
  'retention',
] as const;

export type SettingKey = (typeof settingKeys)[number];

export function isSettingKey(key: string): key is SettingKey {
  return (settingKeys as readonly string[]).includes(key);
}
