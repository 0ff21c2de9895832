import { isPlainObject, setKey } from '../base/index.ts';
import type { Setting, SettingPath } from './config-source.ts';

/** Where settings come from, from the weakest to the strongest. */
export const layerNames = ['default', 'user', 'project', 'environment', 'flag'] as const;
export type LayerName = (typeof layerNames)[number];

/** Settings that come from one place. */
export interface Layer {
  readonly name: LayerName;
  /** A mapping. */
  readonly setting: Setting;
}

/** All layers as one. */
export interface Merged {
  readonly setting: Setting;
  /** That a value comes from; of a list of several, the strongest. */
  layerOf(path: SettingPath): Layer | undefined;
}

type Mapping = Readonly<Record<string, unknown>>;

/**
 * The strongest layer counts. Mappings are joined key by key, with two exceptions: a machine is taken whole, since options for one must not
 * reach another; and secrets are those of all layers, since a project must not uncover what the user hides.
 */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const value = layers.map(mappingOf).reduce((lower, upper) => join(lower, upper, []), {});
  const layerOf = (path: SettingPath): Layer | undefined =>
    layers.findLast((layer) => valueAt(mappingOf(layer), path) !== undefined);
  const nearest = (path: SettingPath): Layer =>
    layerOf(path) ?? (path.length === 0 ? layers.at(-1)! : nearest(path.slice(0, -1)));
  return { setting: { value, path: [], placeOf: (path) => nearest(path).setting.placeOf(path) }, layerOf };
}

export function mappingOf({ setting: { value } }: Layer): Mapping {
  if (!isPlainObject(value)) return {};
  const { checkpoint } = value;
  // The short form of the same: else a value of another layer could not be added to it.
  return checkpoint === undefined || isPlainObject(checkpoint)
    ? value
    : { ...value, checkpoint: { every: checkpoint } };
}

function join(lower: Mapping, upper: Mapping, path: SettingPath): Mapping {
  const joined: Record<string, unknown> = { ...lower };
  for (const [key, value] of Object.entries(upper)) {
    const below = Object.hasOwn(lower, key) ? lower[key] : undefined;
    setKey(joined, key, joinValue(below, value, [...path, key]));
  }
  return joined;
}

function joinValue(lower: unknown, upper: unknown, path: SettingPath): unknown {
  if (path.length === 1 && path[0] === 'secrets') return [...new Set([...listOf(lower), ...listOf(upper)])];
  const isMachine = path.length === 2 && path[0] === 'remotes';
  return isPlainObject(lower) && isPlainObject(upper) && !isMachine ? join(lower, upper, path) : upper;
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function valueAt(value: unknown, [key, ...rest]: SettingPath): unknown {
  if (key === undefined) return value;
  if (Array.isArray(value)) return valueAt(value[Number(key)], rest);
  return isPlainObject(value) && Object.hasOwn(value, key) ? valueAt(value[key], rest) : undefined;
}
