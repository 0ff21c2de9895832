import type { Clock, Json } from '../base/index.ts';
import type { LeaseOwner, Origin } from '../model/index.ts';
import type { Spool } from '../spool/index.ts';
import type { Store } from '../store/index.ts';
import type { Environment } from './command-order.ts';
import type { Observers } from './observers.ts';

/** What an engine and its drivers work with; complete, frozen, decided once when Piton is opened. */
export interface EnginePorts {
  readonly store: Store;
  /** Where commands leave what they write, and whether they have begun and ended. */
  readonly spool: Spool;
  /** What commands are given, and secrets are looked up in. */
  readonly environment: Environment;
  /** Whether a shell command may be done twice. */
  isHarmless(command: string): boolean;
  readonly clock: Clock;
  readonly observers: Observers;
  readonly owner: LeaseOwner;
  readonly leaseMs: number;
  /** How long a task that was asked to stop may take. */
  readonly graceMs: number;
  /** Of the JSON text of one output. */
  readonly maxOutputBytes: number;
}

export type Inputs = Readonly<Record<string, Json>>;

export interface CreateOptions {
  readonly run: string;
  readonly inputs: Inputs;
  /** Of a graph: fields that begin with another value than the workflow gives. */
  readonly state?: Inputs;
  /** The folder commands run in, and the file to compare with when the run goes on. */
  readonly origin?: Origin;
}

export function leaseName(run: string): string {
  return `run:${run}`;
}
