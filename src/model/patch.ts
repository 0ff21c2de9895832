import type { Json } from '../base/index.ts';

/** A difference between two values: what a step changed, not what the state is. */
export type Patch = readonly PatchOperation[];
export type PatchPath = readonly (string | number)[];
export type PatchOperation =
  | { readonly op: 'set'; readonly path: PatchPath; readonly value: Json }
  | { readonly op: 'delete'; readonly path: PatchPath }
  | {
      readonly op: 'splice';
      readonly path: PatchPath;
      readonly at: number;
      readonly remove: number;
      readonly items: readonly Json[];
    };
