import type { Command } from 'commander';
import { PitonError, shellWord } from '../../../base/index.ts';
import type { FoundDefinition } from '../../../project/index.ts';

/** With which definition a run goes on, if its file has changed. */
export interface DriftOptions {
  readonly acceptDrift?: boolean;
  readonly keepDefinition?: boolean | 'unless-migrated';
}

/** The same for every command that goes on with a run. */
export function configureDrift(command: Command): Command {
  return command
    .option('--accept-drift', 'go on with the file as it is now; what has settled stays')
    .option(
      '--keep-definition',
      'go on with the definition that the run keeps, however the file has changed',
    );
}

/** Throws `USAGE_INVALID` if both are given, `RUN_CHANGED` if there is nothing that could be accepted. */
export function assertChoice(
  run: string,
  { acceptDrift, keepDefinition }: DriftOptions,
  { note }: FoundDefinition,
): void {
  if (acceptDrift !== true) return;
  if (keepDefinition === true) {
    throw new PitonError('USAGE_INVALID', '--accept-drift and --keep-definition do not go together.', {
      remedy: 'Leave one of them out.',
    });
  }
  // Whoever wants what the file says must not get what it said before.
  if (note === undefined) return;
  throw new PitonError('RUN_CHANGED', `Run ${run} has no other definition that could be accepted.`, {
    run,
    remedy: `Fix the file first, or go on without it: piton resume ${shellWord(run)} --keep-definition.`,
  });
}

export function choiceOf({ acceptDrift, keepDefinition }: DriftOptions): DriftOptions {
  return { ...(acceptDrift === true && { acceptDrift }), ...(keepDefinition === true && { keepDefinition }) };
}

/** As it is typed. */
export function flagOf({ acceptDrift, keepDefinition }: DriftOptions): string {
  if (keepDefinition === true) return ' --keep-definition';
  return acceptDrift === true ? ' --accept-drift' : '';
}
