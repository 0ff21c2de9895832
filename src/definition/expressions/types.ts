import type { Environment } from '@marcbachmann/cel-js';
import { isPlainObject, type Json, type JsonObject } from '../../base/index.ts';
import type { JsonSchema } from '../../model/index.ts';
import { hasExpression } from './templates.ts';

/** A type as CEL writes it: `string`, `list<object3>`, `dyn` for what is not known. */
export type TypeName = string;

export type Fields = Readonly<Record<string, TypeName>>;

/** Of fields that are one of a few texts. */
export type Choices = Readonly<Record<string, readonly string[]>>;

/**
 * The types of one file. Records get names (`object1`…) by which the types of results can be carried from one
 * expression to the next. All numbers are `int` here: JSON makes no difference, and mixing is allowed.
 */
export interface Types {
  record(fields: Fields, choices?: Choices): TypeName;
  ofSchema(schema: JsonSchema): TypeName;
  /** Of a literal in the file; what an expression in it gives is not known. */
  ofValue(value: Json): TypeName;
  fieldsOf(type: TypeName): Fields | undefined;
  /** Undefined if it may be anything. */
  choicesOf(record: TypeName, field: string): readonly string[] | undefined;
  /** Registers every record that a type is made of. */
  declare(environment: Environment, type: TypeName): void;
}

const prefix = 'object';

export function createTypes(): Types {
  const records = new Map<TypeName, Fields>();
  const choices = new Map<TypeName, Choices>();
  const ofSchemas = new WeakMap<JsonSchema, TypeName>();
  const record: Types['record'] = (fields, given) => {
    const name = `${prefix}${records.size + 1}`;
    records.set(name, fields);
    if (given !== undefined) choices.set(name, given);
    return name;
  };
  const ofSchema = (schema: JsonSchema): TypeName => {
    const known = ofSchemas.get(schema) ?? typeOfSchema(schema, { record, ofSchema });
    ofSchemas.set(schema, known);
    return known;
  };
  return {
    record,
    ofSchema,
    ofValue: (value) => typeOfValue(value, record),
    fieldsOf: (type) => records.get(type),
    choicesOf: (record, field) => ownField(choices.get(record) ?? {}, field),
    declare: (environment, type) => declareRecords(environment, type, records),
  };
}

export function listOf(type: TypeName): TypeName {
  return `list<${type}>`;
}

/** Of the elements of a list; undefined if it is none. CEL calls a list of anything just `list`. */
export function elementOf(type: TypeName): TypeName | undefined {
  if (type === 'list' || type === 'dyn') return 'dyn';
  return /^list<(.+)>$/.exec(type)?.[1];
}

type Making = Pick<Types, 'record' | 'ofSchema'>;

function typeOfSchema(schema: JsonSchema, making: Making): TypeName {
  switch (schema['type']) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'int';
    case 'boolean':
      return 'bool';
    case 'array':
      return listOf(isPlainObject(schema['items']) ? making.ofSchema(schema['items'] as JsonSchema) : 'dyn');
    case 'object':
      return typeOfObject(schema, making);
    default:
      return 'dyn';
  }
}

/** Fields that a schema does not name are not to be read, unless it says itself that there are others. */
function typeOfObject(schema: JsonSchema, making: Making): TypeName {
  const { properties, additionalProperties: others } = schema;
  const open = others !== undefined && others !== false;
  if (!isPlainObject(properties) || open) return 'map<string, dyn>';
  const fields = Object.entries(properties as Record<string, Json>).map(
    ([name, property]) =>
      [name, isPlainObject(property) ? making.ofSchema(property as JsonSchema) : 'dyn'] as const,
  );
  return making.record(Object.fromEntries(fields), choicesIn(properties as Record<string, JsonSchema>));
}

/** Of properties whose schemas name all that they may be. */
export function choicesIn(schemas: Readonly<Record<string, JsonSchema>>): Choices {
  const found = Object.entries(schemas).flatMap(([name, schema]) => {
    const values = isPlainObject(schema) ? (schema['enum'] ?? [schema['const']]) : undefined;
    return isTexts(values) ? [[name, values] as const] : [];
  });
  return Object.fromEntries(found);
}

function isTexts(values: unknown): values is readonly string[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}

function ownField<T>(fields: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function typeOfValue(value: Json, record: Types['record']): TypeName {
  switch (typeof value) {
    case 'string':
      return hasExpression(value) ? 'dyn' : 'string';
    case 'number':
      return 'int';
    case 'boolean':
      return 'bool';
    default:
      if (Array.isArray(value)) return listOf(commonType(value, record));
      return isRecord(value) ? typeOfRecord([value], record) : 'dyn';
  }
}

function commonType(values: readonly Json[], record: Types['record']): TypeName {
  if (values.length > 0 && values.every(isRecord)) return typeOfRecord(values, record);
  const types = new Set(values.map((value) => typeOfValue(value, record)));
  const [only] = types;
  return types.size === 1 ? only! : 'dyn';
}

/** The fields that any of them has. */
function typeOfRecord(values: readonly JsonObject[], record: Types['record']): TypeName {
  const names = new Set(values.flatMap((value) => Object.keys(value)));
  const fields = [...names].map((name) => {
    const given = values.filter((value) => Object.hasOwn(value, name)).map((value) => value[name]!);
    return [name, commonType(given, record)] as const;
  });
  return record(Object.fromEntries(fields));
}

function isRecord(value: Json): value is JsonObject {
  return isPlainObject(value);
}

function declareRecords(
  environment: Environment,
  type: TypeName,
  records: ReadonlyMap<TypeName, Fields>,
): void {
  const needed = new Set(recordsIn(type));
  for (const name of needed) {
    for (const field of Object.values(records.get(name)!))
      recordsIn(field).forEach((found) => needed.add(found));
  }
  // A record is made of older ones, and they must be registered before it.
  const order = [...needed].sort((a, b) => Number(a.slice(prefix.length)) - Number(b.slice(prefix.length)));
  for (const name of order) environment.registerType(name, { fields: { ...records.get(name)! } });
}

function recordsIn(type: TypeName): string[] {
  return type.match(/\bobject\d+\b/g) ?? [];
}
