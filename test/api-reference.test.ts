import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readApi } from '../scripts/read-api.ts';
import * as piton from '../src/index.ts';
import * as testing from '../src/testing/index.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

test('the reference of the library is what the sources say; otherwise: node scripts/write-api-reference.ts', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/write-api-reference.ts', '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('everything that is exported is found and told of, and so is every method', () => {
  for (const [entry, module] of [
    ['src/index.ts', piton],
    ['src/testing/index.ts', testing],
  ] as const) {
    const api = readApi(entry);
    const values = api.filter(({ kind }) => ['function', 'class', 'value'].includes(kind));
    // Some classes are exported as types only: they are made by functions.
    expect(values.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(module)));
    expect(api.flatMap(({ about, name, bare }) => [...(about === '' ? [name] : []), ...bare])).toEqual([]);
  }
  const index = readFileSync('docs/reference/api.md', 'utf8');
  const missing = readApi('src/index.ts').filter(({ name }) => !index.includes(`[\`${name}\`](api/`));
  expect(missing).toEqual([]);
  const anchors = [...index.matchAll(/\(api\/([\w-]+\.md)#([\w-]+)\)/g)].filter(
    ([, page, anchor]) =>
      !readFileSync(`docs/reference/api/${page}`, 'utf8')
        .toLowerCase()
        .includes(`\n## ${anchor!.replace(/-\d+$/, '')}\n`),
  );
  expect(anchors).toEqual([]);
  expect(globSync('docs/reference/api/*.md').length).toBeGreaterThan(8);
});

test('what has no sentence is noticed, wherever a name is handed on from, and bodies are not shown', () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'index.ts'),
    `export { renamed as shown, Silent, type Told } from './inner.ts';\n`,
  );
  writeFileSync(
    join(folder, 'inner.ts'),
    `/** Says how. */
export function renamed(a: string): string;
export function renamed(a: number): number;
export function renamed(a: unknown): unknown { return secret(a); }
const secret = (a: unknown) => a;
export class Silent {
  #hidden = 1;
  /** A sentence. */
  told(): number { return this.#hidden; }
  mute(): void {}
}
/** A sentence. */
export interface Told { readonly a: string; mute(): void }
`,
  );
  const api = readApi(join(folder, 'index.ts'));
  expect(api.map(({ name, about }) => [name, about])).toEqual([
    ['shown', 'Says how.'],
    ['Silent', ''],
    ['Told', 'A sentence.'],
  ]);
  expect(api.flatMap(({ bare }) => bare.map((one) => one.replace(/ .*/, '')))).toEqual([
    'Silent.mute',
    'Told.mute',
  ]);
  expect(api[0]!.text).toBe('function renamed(a: string): string;\nfunction renamed(a: number): number;');
  expect(api[1]!.text).toBe('class Silent {\n  /** A sentence. */\n  told(): number;\n  mute(): void;\n}');
});
