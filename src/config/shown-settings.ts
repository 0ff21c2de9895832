import { isPlainObject } from '../base/index.ts';
import type { Config } from './config.ts';
import { nameOf, type SettingPath } from './config-source.ts';
import { mergeLayers, type LayerName } from './layers.ts';
import { settingKeys } from './setting-keys.ts';
import { isHarmless } from './without-grants.ts';

/** One value of a configuration, and where it is from. */
export interface ConfigSetting {
  /** As it is written: `agents.claude.executable`. */
  readonly key: string;
  /** As it is written. */
  readonly value: unknown;
  readonly from: LayerName;
  /** File and line, the name of a variable, or an option. */
  readonly place?: string;
  /** false: its project is not trusted, and it would execute or grant something. */
  readonly isUsed: boolean;
}

/** All that holds, in the order of the reference. */
export function settingsOf({ layers }: Config, isTrusted: boolean): ConfigSetting[] {
  const { setting, layerOf } = mergeLayers(layers);
  const value = setting.value as Readonly<Record<string, unknown>>;
  const paths = settingKeys.flatMap((key) => (key in value ? leavesOf(value[key], [key]) : []));
  return paths.map(({ path, leaf }) => {
    const layer = layerOf(path)!;
    const place = layer.name === 'default' ? {} : { place: layer.setting.placeOf(path) };
    const isUsed = isTrusted || layer.name !== 'project' || isHarmless(path);
    return { key: nameOf(path), value: withoutPassword(leaf), from: layer.name, ...place, isUsed };
  });
}

function leavesOf(value: unknown, path: SettingPath): { path: SettingPath; leaf: unknown }[] {
  if (!isPlainObject(value)) return [{ path, leaf: value }];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

/** The URL of a store may hold one. */
function withoutPassword(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/(:\/\/[^:@/\s]*):[^@/\s]*@/, '$1:***@') : value;
}
