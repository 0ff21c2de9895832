import { isPlainObject } from '../../base/index.ts';
import { renderPath, valueAt, type Path, type Problem } from '../problems.ts';
import { readDocument, type SourceDocument } from './document.ts';
import { resolvePath } from './file-paths.ts';

/** Where a key of a task stands. */
export type KeyPlace = Pick<Problem, 'file' | 'line' | 'column' | 'path'>;

export interface KeyName {
  /** The names of the tasks that lead to it; none: the workflow itself is meant. */
  readonly task: readonly string[];
  /** As it is written in the file: `check`, `deliver`. */
  readonly key: string;
  /** What is meant within it. Of a task that uses a file, the key is then one of that file. */
  readonly inside?: Path;
}

/**
 * Where in a workflow file a key of a task stands: at the task, in the defaults, or in the file as a whole; in the file that is
 * used, if the task is one of that. Where nothing says it, the task itself. `read` gives the text of a file.
 */
export function keyLocator(file: string, read: (file: string) => string): (name: KeyName) => KeyPlace {
  const documents = new Map<string, SourceDocument>();
  const documentOf = (path: string): SourceDocument => {
    const known = documents.get(path) ?? readDocument(read(path), path);
    documents.set(path, known);
    return known;
  };
  return ({ task, key, inside = [] }) => {
    let [source, at]: [string, Path] = [file, []];
    const enter = (): void => {
      const uses = valueAt(documentOf(source).value, [...at, 'uses']);
      if (typeof uses === 'string') [source, at] = [resolvePath(source, uses), []];
    };
    for (const name of task) {
      enter();
      const entry = valueAt(documentOf(source).value, at);
      at = [...at, isPlainObject(entry) && 'graph' in entry ? 'graph' : 'tasks', name];
    }
    if (inside.length > 0) enter();
    const document = documentOf(source);
    const places = [[...at, key, ...inside], [...at, key], ['defaults', key], [key]];
    const place = places.find((one) => valueAt(document.value, one) !== undefined) ?? at;
    const { line, column } = document.locate({ at: place, message: '', onKey: true });
    return { file: source, ...(line !== undefined && { line, column: column! }), path: renderPath(place) };
  };
}
