import type { BackupSettings } from './config.ts';
import {
  countIn,
  durationIn,
  entriesOf,
  readEach,
  textIn,
  unknownKey,
  type Setting,
} from './config-source.ts';

const readers: Readonly<Record<string, (setting: Setting) => Partial<BackupSettings>>> = {
  every: (setting) => ({ everyMs: durationIn(setting, 60_000) }),
  keep: (setting) => ({ keep: countIn(setting) }),
  folder: (setting) => ({ folder: textIn(setting, 'the path of a folder') }),
};

/** `backups`: how often the store is backed up by itself, and how many backups are kept. `false`: never. */
export function readBackups(setting: Setting): Partial<BackupSettings> | undefined {
  if (setting.value === false) return undefined;
  const read = readEach(entriesOf(setting), ([key, entry]) => {
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (reader === undefined) throw unknownKey(entry, 'setting of backups', Object.keys(readers));
    return reader(entry);
  });
  return Object.assign({}, ...read) as Partial<BackupSettings>;
}
