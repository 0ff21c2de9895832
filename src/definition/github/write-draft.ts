import { Document, isMap, isScalar, isSeq, visit, type Node, type Pair } from 'yaml';
import type { LeftOut } from './notes.ts';
import type { TaskEntry } from './translate-job.ts';

/** What a draft is written from. */
export interface DraftParts {
  readonly name: string;
  /** The file that it was translated from. */
  readonly origin: string;
  readonly description: string | undefined;
  readonly inputs: ReadonlyMap<string, unknown>;
  readonly env: ReadonlyMap<string, string>;
  readonly secrets: readonly string[];
  readonly shell: string | undefined;
  readonly tasks: Map<string, TaskEntry>;
}

/** As a person would write it: short lists and mappings on one line, a blank line between tasks. */
export function writeDraft(parts: DraftParts, leftOut: readonly LeftOut[]): string {
  const { name, description, inputs, env, secrets, shell, tasks } = parts;
  const document = new Document({
    name,
    ...(description !== undefined && { description }),
    ...(inputs.size > 0 && { inputs: Object.fromEntries(inputs) }),
    workspace: 'worktree',
    ...(env.size > 0 && { env: Object.fromEntries(env) }),
    ...(secrets.length > 0 && { secrets }),
    ...(shell !== undefined && { defaults: { shell } }),
    tasks: Object.fromEntries(tasks),
  });
  document.commentBefore = headerOf(parts, leftOut);
  shorten(document);
  return document.toString({ lineWidth: 0, singleQuote: true, flowCollectionPadding: true });
}

function headerOf({ origin }: DraftParts, leftOut: readonly LeftOut[]): string {
  const todos = leftOut.flatMap(({ line, what, todo }) =>
    todo === undefined ? [] : [`   line ${line}: ${what}. ${todo}`],
  );
  const lines = [` From ${origin}.`, ...(todos.length === 0 ? [] : [' Left for you:', ...todos])];
  return lines.join('\n');
}

const longestLine = 90;

function shorten(document: Document): void {
  visit(document, {
    Collection(_, node, path) {
      const depth = path.filter((around) => isMap(around)).length;
      if (depth > 0 && isShort(node)) node.flow = true;
    },
    Pair(_, pair, path) {
      const owner = path.at(-2);
      if (isTasks(owner) && isMap(path.at(-1)) && path.length === 4)
        spaceBefore(pair, path.at(-1) as { items: Pair[] });
    },
  });
}

function isTasks(node: unknown): boolean {
  return isPairOf(node, 'tasks');
}

function isPairOf(node: unknown, name: string): boolean {
  const { key } = (node ?? {}) as Partial<Pair>;
  return isScalar(key) && key.value === name;
}

function spaceBefore(pair: Pair, map: { items: Pair[] }): void {
  if (map.items[0] !== pair && isScalar(pair.key)) pair.key.spaceBefore = true;
}

/** Neither a task nor anything with a text of several lines in it. */
function isShort(node: Node): boolean {
  const value: unknown = (node as { toJSON(): unknown }).toJSON();
  const text = JSON.stringify(value);
  if (text.includes('\\n') || text.length > longestLine) return false;
  if (isSeq(node)) return node.items.every((item) => isScalar(item)) || node.items.length === 1;
  const isTask = isMap(node) && node.has('run');
  return isMap(node) && !isTask && !node.items.some(({ value: inner }) => isMap(inner) && inner.has('run'));
}
