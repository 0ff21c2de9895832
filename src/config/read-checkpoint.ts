import { writtenDuration } from '../base/index.ts';
import { checkpointNames, defaultCheckpoint, type CheckpointPolicy } from '../model/index.ts';
import { entriesOf, invalid, readEach, unknownKey, type Setting } from './config-source.ts';

/** `checkpoint`: of workflows that do not say it. */
export function readCheckpoint(setting: Setting): CheckpointPolicy {
  if (typeof setting.value === 'string') return { ...defaultCheckpoint, every: nameIn(setting) };
  const read = readEach(entriesOf(setting), ([key, entry]): Partial<CheckpointPolicy> => {
    if (key === 'every') return { every: everyIn(entry) };
    if (key === 'preserve') return { preserve: preserveIn(entry) };
    throw unknownKey(entry, 'setting of checkpoints', ['every', 'preserve']);
  });
  return Object.assign({}, defaultCheckpoint, ...read) as CheckpointPolicy;
}

const names = Object.keys(checkpointNames).join(', ');

function nameIn(setting: Setting): CheckpointPolicy['every'] {
  const { value } = setting;
  const found = Object.entries(checkpointNames).find(([name]) => name === value)?.[1];
  if (found !== undefined) return found;
  throw invalid(
    setting,
    `must be ${names}, or a mapping`,
    'A number or a time is written so: { every: 10 }.',
  );
}

function everyIn(setting: Setting): CheckpointPolicy['every'] {
  const { value } = setting;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return { tasks: value };
  const named = Object.entries(checkpointNames).find(([name]) => name === value)?.[1];
  if (named !== undefined) return named;
  const ms = writtenDuration(value);
  if (ms !== undefined && ms >= 1) return { ms };
  throw invalid(setting, `must be a number of tasks, a time span such as 30s, or one of ${names}`);
}

function preserveIn(setting: Setting): CheckpointPolicy['preserve'] {
  const { value } = setting;
  if (typeof value === 'boolean' || value === 'remove-on-success') return value;
  throw invalid(setting, 'must be true, false or remove-on-success');
}
