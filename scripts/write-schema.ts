/** Writes the JSON Schemas of workflow files and configurations. With `--check` it only compares, and fails if a stored one is outdated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { configJsonSchema } from '../src/config/index.ts';
import { workflowJsonSchema } from '../src/definition/index.ts';

const schemas = {
  'schema/workflow.schema.json': await workflowJsonSchema(),
  'schema/config.schema.json': configJsonSchema(),
};

for (const [name, schema] of Object.entries(schemas)) {
  const file = new URL(`../${name}`, import.meta.url);
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (readStored(file) !== text) {
    console.error(`${name} is outdated. Write it anew: node scripts/write-schema.ts`);
    process.exitCode = 1;
  }
}

function readStored(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
