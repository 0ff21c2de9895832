import type { RetentionSettings } from './config.ts';
import { durationIn, invalid, readAll, sizeIn, type Readers, type Setting } from './config-source.ts';

const readers: Readers<RetentionSettings> = {
  'older-than': (setting) => ({ olderThanMs: durationIn(setting, leastAge) }),
  keep: (setting) => ({ keep: countIn(setting) }),
  'max-size': (setting) => ({ maxBytes: sizeIn(setting) }),
  'payloads-after': (setting) => ({ payloadsAfterMs: durationIn(setting, leastAge) }),
};

/** Shorter is most likely a slip, and nobody is asked before runs go. */
const leastAge = 3_600_000;

/** `retention`: which runs go by themselves, and when. */
export function readRetention(setting: Setting): RetentionSettings {
  const read = readAll(setting, readers, 'setting of retention');
  if (Object.keys(read).length === 0)
    throw invalid(setting, 'limits nothing', 'Give it `older-than`, `keep`, `max-size` or `payloads-after`.');
  const { olderThanMs = Infinity, payloadsAfterMs = 0, keep } = read;
  if (payloadsAfterMs >= olderThanMs && keep === undefined)
    throw invalid(
      { ...setting, path: [...setting.path, 'payloads-after'] },
      'must be shorter than older-than',
      'Runs would have gone before their payloads could.',
    );
  return read;
}

function countIn(setting: Setting): number {
  const { value } = setting;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(setting, 'must be a whole number of at least 0');
}
