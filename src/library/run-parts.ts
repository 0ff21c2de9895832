import type { Driver, Engine, EnginePorts } from '../engine/index.ts';
import type { Definition } from './definition.ts';

/** What a handle of a run works with. */
export interface RunParts {
  readonly engine: Engine;
  readonly ports: EnginePorts;
  readonly definition?: Definition;
  readonly driver?: Driver;
}
