import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveConfig, withoutGrants, type Config } from '../../src/config/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function configWith(text: string, env: Readonly<Record<string, string>> = {}): Promise<Config> {
  const root = temporaryFolder();
  mkdirSync(join(root, '.piton'));
  writeFileSync(join(root, '.piton/config.yaml'), text);
  return resolveConfig({ directory: root, env: { XDG_CONFIG_HOME: join(root, 'home'), ...env }, flags: {} });
}

const dayMs = 86_400_000;

test('retention has limits of age, number and size; a variable may change one of them', async () => {
  const text = 'retention: { older-than: 90d, keep: 20, max-size: 2GB, payloads-after: 30d }\n';
  const retention = { olderThanMs: 90 * dayMs, keep: 20, maxBytes: 2e9, payloadsAfterMs: 30 * dayMs };
  expect(await configWith(text)).toMatchObject({ retention });
  const changed = await configWith(text, { PITON_RETENTION_KEEP: '5' });
  expect(changed.retention).toEqual({ ...retention, keep: 5 });
  expect((await configWith('lease: 30s\n')).retention).toBeUndefined();
});

test('what a project says of it that nobody trusts removes nothing', async () => {
  expect(withoutGrants(await configWith('retention: { keep: 0 }\n')).retention).toBeUndefined();
});

const wrong: readonly [text: string, said: string][] = [
  ['retention: {}', 'retention limits nothing'],
  ['retention: 30d', 'retention must be a mapping'],
  ['retention: { older-then: 30d }', 'Did you mean older-than?'],
  ['retention: { older-than: 30 }', 'retention.older-than must be a time span'],
  ['retention: { older-than: 5m }', 'retention.older-than must be at least'],
  ['retention: { keep: -1 }', 'retention.keep must be a whole number of at least 0'],
  ['retention: { keep: many }', 'retention.keep must be a whole number of at least 0'],
  ['retention: { max-size: big }', 'retention.max-size must be a size'],
  [
    'retention: { older-than: 7d, payloads-after: 30d }',
    'retention.payloads-after must be shorter than older-than',
  ],
];

test.each(wrong)('%s is refused', async (text, said) => {
  await expect(configWith(`${text}\n`)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(said),
  });
});
