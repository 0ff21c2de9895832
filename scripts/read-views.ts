/** Reads the interfaces and unions of views, with their comments: the reference of JSON is written from them. */
import { readdirSync, readFileSync } from 'node:fs';

export interface FieldText {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: string;
  readonly about: string;
}

export interface ViewText {
  readonly name: string;
  readonly about: string;
  /** That it has besides its own fields. */
  readonly base?: string;
  readonly fields: readonly FieldText[];
  /** Of a union of texts, or of objects. */
  readonly union?: string;
}

const folder = new URL('../src/views/', import.meta.url);
/** What is shown of a project, and why a task waits, stand where they are computed; statuses and the like in the model. */
const others = [
  'model/about',
  'model/limits',
  'model/status',
  'model/outcome',
  'model/commands',
  'kernel/changed-fields',
  'kernel/drift',
  'kernel/judge-key',
  'kernel/why-waiting',
  'engine/preview',
  'engine/preview-migration',
  'definition/problems',
  'project/agents/agent-view',
  'project/doctor/check',
  'project/plan/plan',
  'project/plan/plan-agent',
  'project/plan/plan-places',
  'project/workflows/check-workflow',
  'project/workflows/graph',
  'project/workflows/risks',
];

/** As prettier writes them: a comment, the head, one member after the other, and a brace of its own. */
export function readViews(): readonly ViewText[] {
  const texts = [
    ...readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8')),
    ...others.map((name) => readFileSync(new URL(`../src/${name}.ts`, import.meta.url), 'utf8')),
  ];
  return texts.flatMap((text) => [...interfacesIn(text), ...unionsIn(text)]);
}

const comment = String.raw`(?:/\*\*((?:(?!\*/)[^])*)\*/\n)?`;

function interfacesIn(text: string): ViewText[] {
  const head = new RegExp(
    `${comment}export interface (\\w+)(?:<[^>]*>)?(?: extends ([^{]+?))? \\{\\n([^]*?)\\n\\}`,
    'g',
  );
  return Array.from(text.matchAll(head), ([, about, name, base, body]) => ({
    name: name!,
    about: plain(about),
    ...(base !== undefined && { base: base.replace(/^Omit</, '').replace(/\W.*$/, '') }),
    fields: fieldsIn(body!),
  }));
}

function fieldsIn(body: string): FieldText[] {
  const member = new RegExp(
    `^  ${comment}(?:  )?readonly (\\w+)(\\??):\\s([^]*?);\\n(?=  [^\\s}]|$(?![^]))`,
    'gm',
  );
  return Array.from(`${body}\n`.matchAll(member), ([, about, name, mark, type]) => ({
    name: name!,
    // Only graphs have a state, whatever its type says.
    isOptional: mark === '?' || type === 'State',
    type: typeIn(type),
    about: plain(about),
  }));
}

function unionsIn(text: string): ViewText[] {
  const head = new RegExp(`${comment}export type (\\w+) =([^]*?);\\n(?=\\n|$)`, 'g');
  return Array.from(text.matchAll(head), ([, about, name, union]) => ({
    name: name!,
    about: plain(about),
    fields: [],
    union: typeIn(union!.replaceAll(/\/\*\*[^]*?\*\//g, '')),
  }));
}

/** In one line; prettier begins long unions with a bar. */
function typeIn(text = ''): string {
  return plain(text).replaceAll('readonly ', '').replace(/^\| /, '');
}

/** In one line, without what only comments need. */
function plain(text = ''): string {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/^\* ?/, ''))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
