import { hasCode, isPlainObject, nearest, parseSize, PitonError, writtenDuration } from '../base/index.ts';

/** The keys of a value, from the outermost. Empty: all of it. */
export type SettingPath = readonly (string | number)[];

/** One value of a configuration. */
export interface Setting {
  readonly value: unknown;
  readonly path: SettingPath;
  /** Where a path stands, for people: file and line, or the name of a variable. */
  readonly placeOf: (path: SettingPath) => string;
  /** It holds in every project: what is relative to one has no meaning in it. */
  readonly isOfUser?: boolean;
}

/** What stands in a mapping. */
export function entriesOf(setting: Setting): [string, Setting][] {
  if (!isPlainObject(setting.value)) throw invalid(setting, 'must be a mapping');
  return Object.entries(setting.value).map(([key, value]) => [
    key,
    { ...setting, value, path: [...setting.path, key] },
  ]);
}

/** What stands in a list; a single text is a list of one. */
export function itemsOf(setting: Setting): Setting[] {
  const { value, path } = setting;
  if (typeof value === 'string') return [setting];
  if (!Array.isArray(value)) throw invalid(setting, 'must be a list');
  return value.map((item: unknown, index) => ({ ...setting, value: item, path: [...path, index] }));
}

/** `what`: for people, "a store URL". */
export function textIn(setting: Setting, what: string): string {
  const { value } = setting;
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(setting, `must be ${what}`);
}

export function durationIn(setting: Setting, least: number): number {
  const ms = writtenDuration(setting.value);
  if (ms === undefined) throw invalid(setting, 'must be a time span, such as 30s');
  if (ms < least) throw invalid(setting, `must be at least ${least}ms`);
  return ms;
}

export function countIn(setting: Setting): number {
  const { value } = setting;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw invalid(setting, 'must be a whole number of at least 1');
}

export function sizeIn(setting: Setting): number {
  const bytes = parseSize(setting.value);
  if (bytes === undefined) throw invalid(setting, 'must be a size, such as 500MB or 20GB');
  return bytes;
}

/** How each key of a mapping is read. */
export type Readers<Settings> = Readonly<Record<string, (setting: Setting) => Settings>>;

/** All keys of a mapping, each by its reader. `what`: for people, "setting of workspaces". */
export function readAll<Settings>(setting: Setting, readers: Readers<Settings>, what: string): Settings {
  const read = readEach(entriesOf(setting), ([key, entry]) => {
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (reader === undefined) throw unknownKey(entry, what, Object.keys(readers));
    return reader(entry);
  });
  return Object.assign({}, ...read) as Settings;
}

/** One of a few words, or the `CONFIG_INVALID` that says what was meant. */
export function wordIn<Word extends string>(setting: Setting, words: readonly Word[]): Word {
  const found = words.find((word) => word === setting.value);
  if (found !== undefined) return found;
  const close = typeof setting.value === 'string' ? nearest(setting.value, words) : undefined;
  const list = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  throw invalid(setting, `must be ${list}`, close && `Did you mean ${close}?`);
}

/** Reads all of them. Throws one `CONFIG_INVALID` for all that is wrong, in `details.problems`. */
export function readEach<Item, Value>(items: readonly Item[], read: (item: Item) => Value): Value[] {
  const values: Value[] = [];
  const errors: PitonError[] = [];
  for (const item of items) {
    try {
      values.push(read(item));
    } catch (thrown) {
      if (!(thrown instanceof PitonError) || !hasCode(thrown, 'CONFIG_INVALID')) throw thrown;
      errors.push(thrown);
    }
  }
  if (errors.length > 0) throw together(errors);
  return values;
}

/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** File and line, or the name of a variable. */
  readonly place: string;
  /** What is wrong, and what to do about it. */
  readonly message: string;
}

export function problemsOf(error: PitonError): readonly ConfigProblem[] {
  const { problems, place } = error.details as { problems?: readonly ConfigProblem[]; place?: string };
  return problems ?? [{ place: place ?? '', message: error.message }];
}

function together(errors: readonly PitonError[]): PitonError {
  const [first] = errors;
  if (errors.length === 1) return first!;
  const problems = errors.flatMap(problemsOf);
  const message = problems.map((each) => each.message).join('\n');
  return new PitonError('CONFIG_INVALID', message, { place: first!.details['place'], problems });
}

/** `agents.claude.executable`, `secrets[1]`. */
export function nameOf(path: SettingPath): string {
  const steps = path.map((step, index) =>
    typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
  );
  return steps.join('');
}

export function invalid({ path, placeOf }: Setting, what: string, remedy?: string): PitonError {
  return problem(placeOf(path), path.length === 0 ? `the file ${what}` : `${nameOf(path)} ${what}`, remedy);
}

/** A key that means nothing where it stands. */
export function unknownKey({ path, placeOf }: Setting, what: string, known: readonly string[]): PitonError {
  const key = String(path.at(-1));
  const close = nearest(key, known);
  const remedy = close === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${close}?`;
  return problem(placeOf(path), `there is no ${what} ${key}`, remedy);
}

export function problem(place: string, what: string, remedy?: string): PitonError {
  const sentence = /[.!?]$/.test(what) ? what : `${what}.`;
  return new PitonError('CONFIG_INVALID', `${place}: ${sentence}`, {
    place,
    ...(remedy !== undefined && { remedy }),
  });
}
