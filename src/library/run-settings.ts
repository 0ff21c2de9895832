import { isPlainObject, nearest, PitonError, toJson } from '../base/index.ts';
import {
  aboutKeys,
  isAboutKey,
  whyNotAbout,
  whyNotCheckpointName,
  whyNotLimit,
  type AboutChange,
  type Command,
  type LimitChange,
  type LimitName,
} from '../model/index.ts';

/** A limit of a run. `none`: there is none. `null`: the one in its workflow is in force again. */
export type LimitSetting = number | 'none' | null;

/**
 * What is to be set of a run. What is left out stays as it is; `null` removes it. What is said of a run (`name`, `labels`, `group`, `note`,
 * `metadata`) may be changed at any time, also after its end; its limits only before.
 */
export interface RunSettings extends AboutChange {
  /** Attempts that may run at once. If more are running, nothing new starts until fewer are; none is stopped. */
  readonly maxParallel?: LimitSetting;
  /** Steps that a graph may take. */
  readonly maxSteps?: number | null;
  /** What agents of the run may use, all in all. Once they have used more, they are stopped in their sessions, and wait. */
  readonly budget?: { readonly usd?: LimitSetting; readonly tokens?: LimitSetting };
  /** Gives a checkpoint a name, for good. */
  readonly checkpoint?: { readonly name: string; readonly seq: number };
}

type SetCommand = Extract<Command, { type: 'set' }>;

const keys = [...aboutKeys, 'maxParallel', 'maxSteps', 'budget', 'checkpoint'] as const;

/** Throws `USAGE_INVALID`, `NOT_SERIALISABLE`. */
export function readSettings(given: RunSettings): SetCommand {
  assertKnown(given, keys, '');
  const { maxParallel, maxSteps, budget, checkpoint, ...said } = given;
  if (budget !== undefined) assertKnown(budget, ['usd', 'tokens'], 'budget.');
  const about = toJson(said, 'settings') as AboutChange;
  const limits = [
    ...changeOf('max-parallel', maxParallel),
    ...changeOf('max-steps', maxSteps),
    ...changeOf('budget.usd', budget?.usd),
    ...changeOf('budget.tokens', budget?.tokens),
  ];
  const command: SetCommand = {
    type: 'set',
    ...(Object.keys(about).length > 0 && { about }),
    ...(limits.length > 0 && { limits }),
    ...(checkpoint !== undefined && { checkpoint }),
  };
  assertSettable(command);
  return command;
}

function assertSettable({ type: _, ...set }: SetCommand): void {
  const { about = {}, limits = [], checkpoint } = set;
  if (Object.keys(set).length === 0) throw invalid('Nothing is to be set.');
  const why =
    whyNotAbout({ ...about }) ??
    limits.map((change) => whyNotLimit(change)).find(Boolean) ??
    (checkpoint && whyNotCheckpointName(checkpoint.name));
  if (why !== undefined) throw invalid(`That cannot be set: ${why}.`);
}

/** What options of `start` say of the run, if they do. Others are no concern of ours. Throws `NOT_SERIALISABLE`. */
export function aboutIn(options: Readonly<Record<string, unknown>>): AboutChange | undefined {
  const given = Object.entries(options).filter(([key, value]) => isAboutKey(key) && value !== undefined);
  return given.length === 0 ? undefined : (toJson(Object.fromEntries(given), 'options') as AboutChange);
}

function changeOf(limit: LimitName, value: LimitSetting | undefined): LimitChange[] {
  if (value === undefined) return [];
  return [value === null ? { limit } : { limit, to: value }];
}

function assertKnown(given: unknown, known: readonly string[], path: string): void {
  if (!isPlainObject(given)) throw invalid('Settings are an object with named values.');
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const close = nearest(unknown, known);
  const hint = close === undefined ? `known are ${known.join(', ')}` : `did you mean ${path}${close}?`;
  throw invalid(`There is no setting ${path}${unknown}: ${hint}`);
}

function invalid(message: string): PitonError {
  return new PitonError('USAGE_INVALID', message, {
    remedy:
      'Settings of a run are name, labels, group, note, metadata, maxParallel, maxSteps, budget and checkpoint.',
  });
}
