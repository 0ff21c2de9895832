import {
  asError,
  hasCode,
  isPlainObject,
  nearest,
  PitonError,
  readBounded,
  writtenDuration,
} from '../base/index.ts';

/** One value of a configuration file. */
export interface Setting {
  readonly value: unknown;
  /** Its keys, from the outermost. Empty: the file as a whole. */
  readonly path: readonly (string | number)[];
  /** File and line of a path. */
  readonly placeOf: (path: Setting['path']) => string;
}

/** The file as a whole. Throws `CONFIG_INVALID`. */
export async function parseSource(text: string, file: string): Promise<Setting> {
  const { parseDocument, LineCounter, isMap, isNode, isScalar } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset = 0): string => `${file}:${lines.linePos(offset).line}`;
  const [error] = document.errors;
  if (error !== undefined) throw problem(at(error.pos[0]), error.message);
  return {
    value: plainValue(() => document.toJS(), file),
    path: [],
    placeOf(path) {
      const around: unknown = document.getIn(path.slice(0, -1), true);
      const pair = isMap(around)
        ? around.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1)))
        : undefined;
      const node = pair?.key ?? document.getIn(path, true);
      return at(isNode(node) ? node.range?.[0] : undefined);
    },
  };
}

/** An alias may stand for nothing, or for far too much. */
function plainValue(convert: () => unknown, file: string): unknown {
  try {
    return convert();
  } catch (error) {
    throw problem(file, asError(error).message);
  }
}

/** Undefined if there is none. Throws `CONFIG_INVALID`. */
export function readText(file: string): string | undefined {
  try {
    return readBounded(file).toString('utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw problem(file, asError(error).message);
  }
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

/** One of a few words, or the `CONFIG_INVALID` that says what was meant. */
export function wordIn<Word extends string>(setting: Setting, words: readonly Word[]): Word {
  const found = words.find((word) => word === setting.value);
  if (found !== undefined) return found;
  const close = typeof setting.value === 'string' ? nearest(setting.value, words) : undefined;
  const list = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  throw invalid(setting, `must be ${list}`, close && `Did you mean ${close}?`);
}

export function invalid({ path, placeOf }: Setting, what: string, remedy?: string): PitonError {
  const name = path.map((step, index) =>
    typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
  );
  return problem(placeOf(path), path.length === 0 ? `the file ${what}` : `${name.join('')} ${what}`, remedy);
}

/** A key that means nothing where it stands. */
export function unknownKey({ path, placeOf }: Setting, what: string, known: readonly string[]): PitonError {
  const key = String(path.at(-1));
  const close = nearest(key, known);
  const remedy = close === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${close}?`;
  return problem(placeOf(path), `there is no ${what} ${key}`, remedy);
}

function problem(place: string, what: string, remedy?: string): PitonError {
  const sentence = /[.!?]$/.test(what) ? what : `${what}.`;
  return new PitonError('CONFIG_INVALID', `${place}: ${sentence}`, {
    place,
    ...(remedy !== undefined && { remedy }),
  });
}
