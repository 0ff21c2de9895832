import { asError, errorText, PitonError, stackText } from '../base/index.ts';

/** Where in a definition a migration stands. */
export interface MigrationPlace {
  readonly run: string;
  readonly workflow: string;
  /** The task whose child workflow is migrated; '': the run itself. */
  readonly scope: string;
  readonly step: number;
  /** `inputs`, `state`, or `outputs` and the name of a task. */
  readonly part: readonly string[];
  /** Whose output it is, by its address. */
  readonly task?: string;
  readonly locate: LocateMigration | undefined;
}

/** The file and line where a migration is written, if that is known. */
export type LocateMigration = (
  place: Pick<MigrationPlace, 'scope' | 'step' | 'part'>,
) => Promise<string | undefined>;

/** Does a part of a migration. What it throws becomes `MIGRATION_FAILED`, which names the part. */
export async function atPlace<T>(place: MigrationPlace, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    throw await failure(place, asError(thrown));
  }
}

async function failure(place: MigrationPlace, thrown: Error): Promise<PitonError> {
  const { run, workflow, scope, step, part } = place;
  const cause = thrown instanceof PitonError && thrown.cause instanceof Error ? thrown.cause : thrown;
  const at = (await place.locate?.(place)) ?? frameOf(cause);
  const where = at === undefined ? '' : ` (${at})`;
  const reason = (errorText(thrown, 'message') ?? 'an error that cannot be shown').replace(/\.$/, '');
  const message = `The migration of ${workflow} to version ${step} failed for ${wordsFor(place)}${where}: ${reason}. Run ${run} was not changed.`;
  return new PitonError('MIGRATION_FAILED', message, {
    run,
    workflow,
    step,
    part: part.join('.'),
    ...(scope !== '' && { scope }),
    ...(at !== undefined && { at }),
    cause: thrown,
    remedy:
      'Correct that migration; piton drift shows what it would do. To go on without it: --keep-definition (`keepDefinition`).',
  });
}

function wordsFor({ scope, part, task }: MigrationPlace): string {
  if (task !== undefined) return `the output of ${task}`;
  return scope === '' ? `the ${part[0]}` : `the ${part[0]} of ${scope}`;
}

/** Of a closure: where it threw. An address may say which version of a file was imported. */
function frameOf(cause: Error): string | undefined {
  const frames = stackText(cause)?.split('\n') ?? [];
  const first = frames.find((line) => /^\s+at /.test(line));
  const place = first && /(?:\(|at )(?:file:\/\/)?([^()]+:\d+:\d+)\)?$/.exec(first.trim())?.[1];
  return place?.replace(/\?[^:]*/, '');
}
