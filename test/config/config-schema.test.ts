import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../../src/base/index.ts';
import { configJsonSchema } from '../../src/config/index.ts';
import { settingKeys } from '../../src/config/setting-keys.ts';
import { compileSchema } from '../../src/definition/index.ts';

test('the stored JSON Schema of configurations is the present one', () => {
  const stored = readFileSync(new URL('../../schema/config.schema.json', import.meta.url), 'utf8');
  expect(JSON.parse(stored)).toEqual(configJsonSchema());
});

test('it has every setting, each with a description', () => {
  const { properties } = configJsonSchema() as { properties: Record<string, { description?: string }> };
  expect(Object.keys(properties)).toEqual([...settingKeys]);
  const silent = Object.entries(properties).filter(([, { description }]) => !description);
  expect(silent).toEqual([]);
});

const valid = [
  'version: 1',
  "store: 'memory:'",
  'idle-timeout: 0',
  'lease: 1h30m',
  'checkpoint: on-gates',
  'checkpoint: { every: 30s, preserve: remove-on-success }',
  'checkpoint: { every: 10 }',
  'agents: { claude: { executable: x, tools: { a: reading } }, acp: { tools: {} } }',
  'secrets: A',
  'inherit-env: true',
  'inherit-env: [AWS_*]',
  'budget: { per-day: { usd: 1.5 } }',
  'workspaces: { quota: 1.5 GB, keep: 2d, disposable: dist }',
  'remotes: { box: { host: a, ssh: -C } }',
];
const invalid = [
  'nothing: 1',
  'lease: soon',
  'durability: ful',
  'checkpoint: 3',
  'checkpoint: { every: 0 }',
  'max-parallel: 0',
  'agents: { clude: {} }',
  'agents: { acp: { executable: x } }',
  'budget: { per-day: {} }',
  'remotes: { box: {} }',
  'workspaces: { quota: 3 }',
];

test.each([...valid.map((text) => [text, true]), ...invalid.map((text) => [text, false])] as const)(
  '%s fits it: %s',
  async (text, fits) => {
    const check = await compileSchema(configJsonSchema());
    expect(check(parse(text as string) as Json).length === 0).toBe(fits);
  },
);
