import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';

export interface StoreOptions {
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly olderThan?: string;
  readonly keep?: string;
  readonly workflow?: string;
  readonly status?: string;
  readonly maxSize?: string;
  readonly payloads?: boolean;
  readonly dryRun?: boolean;
  readonly daily?: boolean;
}

/** What `piton store <action>` does. */
export type StoreAction = (context: Context, given: Invocation<StoreOptions>) => Promise<ExitCode>;
