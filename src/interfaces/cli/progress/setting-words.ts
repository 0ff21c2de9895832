import type { RunEvent } from '../../../library/index.ts';

type DataOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>['data'];

/** What is said of the run from now on. */
export function describedText(change: DataOf<'run.described'>['change']): string {
  const { labels = {}, metadata = {}, ...lines } = change;
  const said = [
    ...Object.entries(lines).map(([key, value]) => settingText(key, value)),
    ...Object.entries(labels).map(([key, value]) => settingText(`label ${key}`, value)),
    ...Object.keys(metadata).map((key) => `metadata ${key}${metadata[key] === null ? ' removed' : ''}`),
  ];
  return `set: ${said.join(', ')}`;
}

function settingText(what: string, value: string | null): string {
  return value === null ? `${what} removed` : `${what} ${value}`;
}

/** The limits that are in force from now on. */
export function limitsText(changes: DataOf<'limits.changed'>['changes']): string {
  const set = changes.map(({ limit, to }) => `${limit} ${to ?? 'as in the workflow'}`);
  return `set: ${set.join(', ')}`;
}
