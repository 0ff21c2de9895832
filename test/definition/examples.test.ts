import { globSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseWorkflow } from '../../src/definition/index.ts';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

const read = (path: string) => readFileSync(path, 'utf8');

test.each(files)('examples/%s is a workflow nobody has anything against', async (name) => {
  const file = folder + name;
  const { workflow, suggestions } = await parseWorkflow(read(file), { file, read });
  expect(suggestions).toEqual([]);
  expect(workflow.tasks.length).toBeGreaterThan(0);
});

const guides = globSync('docs/**/*.md').flatMap((file) =>
  [
    ...readFileSync(file, 'utf8').matchAll(
      /^```yaml\n(?!# \.(?:piton\/config|github\/workflows\/\w+)\.yaml)(.*?)^```/gms,
    ),
  ].map(([, text]) => [file, text!] as const),
);

test.each(guides)('%s shows only workflows that are valid: %s', async (file, text) => {
  const { workflow } = await parseWorkflow(text, { file, read });
  expect(workflow.tasks.length).toBeGreaterThan(0);
});
