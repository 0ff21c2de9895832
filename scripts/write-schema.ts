/** Writes the JSON Schema of workflow files. With `--check` it only compares, and fails if the stored one is outdated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { workflowJsonSchema } from '../src/definition/index.ts';

const file = new URL('../schema/workflow.schema.json', import.meta.url);
const text = `${JSON.stringify(await workflowJsonSchema(), null, 2)}\n`;

if (process.argv.includes('--check')) {
  if (readStored() !== text) {
    console.error('schema/workflow.schema.json is outdated. Write it anew: node scripts/write-schema.ts');
    process.exit(1);
  }
} else {
  writeFileSync(file, text);
}

function readStored(): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
