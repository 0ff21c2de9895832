import { isPlainObject, type Json, type JsonObject } from '../../base/index.ts';
import { at, listOf, objectOf, showJson, textAt } from '../json-fields.ts';

/** A tool call, as far as the agent has told. */
export interface Call {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  /** Of the tool, where the agent names it. */
  readonly tool?: string;
  readonly rawInput?: Json;
  /** The files that it is about. */
  readonly paths: readonly string[];
}

export function unknownCall(id: string): Call {
  return { id, kind: 'other', title: '', paths: [] };
}

/** The call with what is new of it: an update tells only what has changed. */
export function mergeCall(before: Call, told: JsonObject): Call {
  const paths = pathsIn(told);
  const news: Readonly<Record<string, unknown>> = {
    kind: textAt(told, 'kind'),
    title: textAt(told, 'title'),
    tool: textAt(told, 'name'),
    rawInput: told['rawInput'],
    paths: paths.length > 0 ? paths : undefined,
  };
  const known = Object.entries(news).filter(([, value]) => value !== undefined && value !== null);
  return { ...before, ...(Object.fromEntries(known) as Partial<Call>) };
}

function pathsIn(told: JsonObject): readonly string[] {
  const places = [...listOf(told['locations']), ...listOf(told['content'])];
  return places.flatMap((place) => textAt(place, 'path') ?? []);
}

/** Its kind; what is of none of them must not be taken for one of them by its name. */
export function nameOf({ kind, tool, title }: Call): string {
  return kind === 'other' ? `other (${tool ?? title})` : kind;
}

/** Some agents do not tell it: then its title is all that is known. */
export function inputOf({ rawInput, title }: Call): Json {
  if (isPlainObject(rawInput) && Object.keys(rawInput).length === 0) return { title };
  return rawInput ?? { title };
}

/** A text, or the words of it. */
export function commandIn(input: Json | undefined): string | undefined {
  const command = at(input, 'command') ?? at(input, 'cmd');
  if (typeof command === 'string') return command;
  const words = listOf(command).filter((word) => typeof word === 'string');
  return words.length === 0 ? undefined : words.join(' ');
}

/** For people: `execute: make`. */
export function shownCall(call: Call): string {
  return `${nameOf(call)}: ${commandIn(call.rawInput) ?? call.paths[0] ?? call.title}`;
}

/** What came of a call, in the update that ends it. */
export function outputIn(update: JsonObject): string {
  const raw = update['rawOutput'];
  if (typeof raw === 'string') return raw;
  const content = listOf(update['content']).flatMap((part) => contentText(part) ?? []);
  return content.length > 0 ? content.join('\n') : (textAt(raw, 'output') ?? showJson(raw));
}

function contentText(part: Json): string | undefined {
  if (textAt(part, 'type') === 'diff') return `changed ${textAt(part, 'path') ?? 'a file'}`;
  return blockText(objectOf(at(part, 'content')));
}

/** The text of a block of content; of other kinds, what they are. */
export function blockText(block: JsonObject | undefined): string | undefined {
  if (block === undefined) return undefined;
  const named = textAt(block, 'text') ?? textAt(block, 'resource', 'text') ?? textAt(block, 'uri');
  return named ?? `[${textAt(block, 'type') ?? 'something'}]`;
}
