import { isPlainObject, nearest } from '../../base/index.ts';
import type { JsonSchema } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import { typeNames } from './file-schema.ts';

/**
 * The short form of a JSON Schema: `string`, `[string]`, `{ name: string, note?: string }`. It may hold full schemas at
 * any depth. Fields it does not name are allowed.
 */
export function expandSchema(value: unknown, at: Path, findings: Finding[]): JsonSchema {
  if (typeof value === 'string') return expandName(value, at, findings);
  if (Array.isArray(value)) return expandList(value, at, findings);
  if (!isPlainObject(value)) {
    findings.push({ at, message: 'Expected a type.', remedy: `Types are: ${typeNames.join(', ')}.` });
    return {};
  }
  return isFullSchema(value) ? (value as JsonSchema) : expandFields(value, at, findings);
}

function expandName(name: string, at: Path, findings: Finding[]): JsonSchema {
  if (name === 'any') return {};
  if ((typeNames as readonly string[]).includes(name)) return { type: name };
  const similar = nearest(name, typeNames);
  const remedy =
    similar === undefined ? `Types are: ${typeNames.join(', ')}.` : `Did you mean \`${similar}\`?`;
  findings.push({ at, message: `There is no type \`${name}\`.`, remedy });
  return {};
}

function expandList(list: readonly unknown[], at: Path, findings: Finding[]): JsonSchema {
  if (list.length === 1) return { type: 'array', items: expandSchema(list[0], [...at, 0], findings) };
  findings.push({ at, message: `A list type names the type of its items: [string].` });
  return { type: 'array' };
}

function expandFields(fields: Record<string, unknown>, at: Path, findings: Finding[]): JsonSchema {
  const properties = Object.entries(fields).map(
    ([key, type]) => [fieldName(key), expandSchema(type, [...at, key], findings)] as const,
  );
  const required = Object.keys(fields).filter((key) => !isOptionalKey(key));
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

export function isOptionalKey(key: string): boolean {
  return key.endsWith('?');
}

export function fieldName(key: string): string {
  return isOptionalKey(key) ? key.slice(0, -1) : key;
}

const keywords: ReadonlySet<string> = new Set(
  (
    '$schema $id $ref $defs $comment type enum const properties required additionalProperties patternProperties ' +
    'propertyNames minProperties maxProperties items prefixItems minItems maxItems uniqueItems contains minContains ' +
    'maxContains minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf ' +
    'anyOf oneOf allOf not title description default examples deprecated readOnly writeOnly'
  ).split(' '),
);

/**
 * The rule: full is what says so by `$schema` or `$ref`, or has only words of JSON Schema and among them a `type` that is
 * one, `properties`, `const`, or a list of `enum`, `anyOf`, `oneOf` or `allOf`. All else is the short form.
 */
function isFullSchema(value: Record<string, unknown>): boolean {
  if ('$schema' in value || '$ref' in value) return true;
  if (!Object.keys(value).every((key) => keywords.has(key))) return false;
  const { type, properties } = value;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return (
    types.every((name) => isTypeName(name)) ||
    isPlainObject(properties) ||
    'const' in value ||
    ['enum', 'anyOf', 'oneOf', 'allOf'].some((key) => Array.isArray(value[key]))
  );
}

function isTypeName(name: unknown): boolean {
  return name !== 'any' && (typeNames as readonly unknown[]).includes(name);
}
