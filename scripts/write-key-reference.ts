/** Writes the reference of all keys of workflow files from their schema. With `--check` it only compares. */
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { workflowJsonSchema } from '../src/definition/index.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const file = new URL('../docs/reference/workflow-keys.md', import.meta.url);
const schema = (await workflowJsonSchema()) as Schema;
const { task, node } = schema.$defs!;
const onlyNode = Object.entries(node!.properties!).filter(([key]) => !(key in task!.properties!));

const lines = [
  '# Every key of a workflow file',
  '',
  'Written from the schema that validates files (`scripts/write-key-reference.ts`). How they work together:',
  '[writing workflows](../guides/yaml.md). For editors: `schema/workflow.schema.json`.',
  '',
  ...section('The file', Object.entries(schema.properties!)),
  ...section('A task', Object.entries(task!.properties!)),
  'A node of a graph has the same keys, without `needs` and `if`, and besides:',
  '',
  ...table(onlyNode),
  ...nested(),
];
const text = await format(lines.join('\n'), { ...(await resolveConfig(file)), parser: 'markdown' });

const stored = readStored();
if (process.argv.includes('--check')) {
  if (stored !== text) {
    console.error('docs/reference/workflow-keys.md is outdated: node scripts/write-key-reference.ts');
    process.exit(1);
  }
} else {
  writeFileSync(file, text);
}

function section(title: string, entries: [string, Schema][]): string[] {
  return [`## ${title}`, '', ...table(entries)];
}

function table(entries: [string, Schema][]): string[] {
  const rows = entries.filter(([, { description = '' }]) => !description.startsWith('Not available yet'));
  return [
    '| key | takes | meaning |',
    '| --- | --- | --- |',
    ...rows.map(([key, value]) => `| \`${key}\` | ${typeOf(value)} | ${escape(value.description ?? '')} |`),
    '',
  ];
}

/** Keys that have keys of their own. */
function nested(): string[] {
  const all = [...Object.entries(schema.properties!), ...Object.entries(task!.properties!)];
  const seen = new Set<string>();
  return all.flatMap(([key, value]) => {
    if (seen.has(key) || key === 'defaults') return [];
    seen.add(key);
    return sectionsOf(key, value);
  });
}

function sectionsOf(key: string, value: Schema): string[] {
  const inner = objectsIn(value).flatMap(({ properties = {} }) => Object.entries(properties));
  if (inner.length === 0) return [];
  return [
    ...section(`\`${key}\``, inner),
    ...inner.flatMap(([name, deeper]) => sectionsOf(`${key}.${name}`, deeper)),
  ];
}

function objectsIn({ properties, anyOf, items, additionalProperties, $ref }: Schema): Schema[] {
  if ($ref !== undefined) return [];
  const inside = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const parts = [...(anyOf ?? []), ...(items ? [items] : []), ...(inside ? [inside] : [])];
  return [...(properties ? [{ properties }] : []), ...parts.flatMap(objectsIn)];
}

function typeOf({ $ref, type, const: only, enum: values, anyOf, items, properties }: Schema): string {
  if ($ref !== undefined) return `a ${$ref.split('/').at(-1)}`;
  if (only !== undefined) return `\`${String(only)}\``;
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ');
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join('; or ');
  if (items !== undefined && Object.keys(items).length > 0) return `a list of ${typeOf(items)}`;
  if (properties !== undefined || type === 'object') return 'a mapping';
  if (type === undefined) return 'any value';
  return [type]
    .flat()
    .map((name) => (name === 'array' ? 'a list' : name))
    .join(' or ');
}

function escape(description: string): string {
  return description.replaceAll('|', '\\|');
}

function readStored(): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
