import { asError } from '../base/index.ts';
import { problem, readEach, type Setting, type SettingPath } from './config-source.ts';
import { configMigrations, upgrade, type ConfigDocument, type ConfigMigration } from './config-versions.ts';

/** A file as a whole, of whichever version. Throws `CONFIG_INVALID`, `CONFIG_TOO_NEW`. */
export async function parseConfig(
  text: string,
  file: string,
  migrations: readonly ConfigMigration[] = configMigrations,
): Promise<Setting> {
  const { document, placeOf } = await parseDocumentOf(text, file);
  upgrade({ document, place: placeOf(['version']) }, migrations);
  return { value: plainValue(document, file), path: [], placeOf };
}

interface ParsedDocument {
  readonly document: ConfigDocument;
  readonly placeOf: Setting['placeOf'];
}

/** As it is written, with all of its comments. Throws `CONFIG_INVALID`. */
export async function parseDocumentOf(text: string, file: string): Promise<ParsedDocument> {
  const { parseDocument, LineCounter, isMap, isNode, isScalar } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => `${file}:${lines.linePos(offset).line}`;
  readEach(document.errors, (error) => {
    throw problem(at(error.pos[0]), error.message);
  });
  const offsetOf = (path: SettingPath): number | undefined => {
    const around: unknown = document.getIn(path.slice(0, -1), true);
    const pair = isMap(around)
      ? around.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1)))
      : undefined;
    const node = pair?.key ?? document.getIn(path, true);
    return isNode(node) ? node.range?.[0] : undefined;
  };
  const placeOf = (path: SettingPath): string => {
    for (let length = path.length; length > 0; length--) {
      const offset = offsetOf(path.slice(0, length));
      if (offset !== undefined) return at(offset);
    }
    return at(0);
  };
  return { document, placeOf };
}

/** An alias may stand for nothing, or for far too much. */
function plainValue(document: ConfigDocument, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw problem(file, asError(error).message);
  }
}
