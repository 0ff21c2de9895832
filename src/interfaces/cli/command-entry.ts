import type { CommandSpec, Invocation } from './command-spec.ts';

/**
 * What a call can cause. `reads`: nothing of the repository is executed, whoever wrote it. `runs`: it executes what the project
 * says, so the project must be trusted. `decides`: also, it is for a person, and refused to the processes of a task. `stops`,
 * `trusts`: for a person too, but what ends something must be possible also where something has become suspicious.
 */
export type Power = 'reads' | 'runs' | 'stops' | 'decides' | 'trusts';

export interface CommandEntry {
  readonly name: string;
  /** Under which it stands in the help. */
  readonly group: string;
  readonly summary: string;
  readonly power: Power | ((given: Invocation) => Power);
  readonly isHidden?: boolean;
  /** It judges the configuration files itself: one that is wrong does not keep it from that. */
  readonly ignoresFiles?: (given: Invocation) => boolean;
  /** Each command is imported only when it is called, or described in full. */
  load(): Promise<{ readonly command: CommandSpec }>;
}
