import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { isPlainObject, type Json } from '../../src/base/index.ts';
import { compileSchema, workflowJsonSchema } from '../../src/definition/index.ts';

test('the stored JSON Schema of workflow files is the present one', async () => {
  const stored = readFileSync(new URL('../../schema/workflow.schema.json', import.meta.url), 'utf8');
  expect(JSON.parse(stored)).toEqual(await workflowJsonSchema());
});

test('every key in the JSON Schema has a description', async () => {
  const missing: string[] = [];
  let keys = 0;
  const look = (value: unknown, path: string): void => {
    if (Array.isArray(value)) value.forEach((entry, index) => look(entry, `${path}[${index}]`));
    if (!isPlainObject(value)) return;
    for (const [name, property] of Object.entries((value['properties'] ?? {}) as Record<string, Json>)) {
      keys++;
      if (!isPlainObject(property) || typeof property['description'] !== 'string')
        missing.push(`${path}.${name}`);
    }
    for (const [key, entry] of Object.entries(value)) look(entry, `${path}.${key}`);
  };
  look(await workflowJsonSchema(), '$');
  expect(missing).toEqual([]);
  expect(keys).toBeGreaterThan(80);
});

const folder = new URL('../../examples/', import.meta.url);

test.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))(
  'an editor that knows the JSON Schema has nothing against %s',
  async (name) => {
    const fits = await compileSchema(await workflowJsonSchema());
    const value = parseYaml(readFileSync(new URL(name, folder), 'utf8')) as Json;
    expect(fits(value)).toEqual([]);
    expect(fits({ ...(value as object), tasks: { a: { functio: 'f' } } })).not.toEqual([]);
  },
);
