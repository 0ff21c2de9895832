import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly cpu?: readonly string[];
}

const read = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')) as Record<string, unknown>;

test('what is installed is what was locked: only binaries of other platforms, for development, have no hash', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, Locked> };
  const installed = Object.entries(packages).filter(([name, { link }]) => name !== '' && link !== true);
  const unknown = installed.filter(([, { integrity }]) => integrity === undefined);
  const unexplained = unknown.filter(
    ([, { dev, optional, cpu }]) => dev !== true || optional !== true || cpu === undefined,
  );
  expect(unexplained.map(([name]) => name)).toEqual([]);
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('who installs Piton installs nothing else', () => {
  const manifest = read('package.json');
  for (const key of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies'])
    expect(manifest[key]).toBeUndefined();
});
