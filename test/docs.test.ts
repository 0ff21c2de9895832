import { execFile } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { library } from './support/built.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const run = promisify(execFile);
const documents = ['README.md', ...globSync('docs/**/*.md')];

describe('every TypeScript example in the docs runs', () => {
  for (const document of documents) {
    const blocks = [...readFileSync(document, 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
    test.for(blocks.map((code, index) => [index + 1, code] as const))(
      `${document}, example %i`,
      async ([, code]) => {
        const folder = temporaryFolder();
        const file = join(folder, 'example.ts');
        writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
        writeFileSync(file, code.replaceAll(`'piton'`, JSON.stringify(library)));
        const { stdout } = await run(process.execPath, [file], { cwd: folder, timeout: 300_000 });
        expect(stdout).not.toBe('');
      },
    );
  }
});

test('every link between documents leads somewhere', () => {
  const broken = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map(([, target]) => join(dirname(document), target!))
      .filter((target) => globSync(target).length === 0)
      .map((target) => `${document} → ${target}`),
  );
  expect(broken).toEqual([]);
});

test('every view of the reference is a type of the library, under the same name', () => {
  const views = readFileSync('docs/reference/json.md', 'utf8').matchAll(/^### (\w+)$/gm);
  const exported = new Set(readFileSync('src/index.ts', 'utf8').match(/\w+/g));
  expect(Array.from(views, ([, name]) => name!).filter((name) => !exported.has(name))).toEqual([]);
});

test('every error code of the sources is in the reference, and no other', () => {
  const sources = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const thrown = sources.flatMap((text) =>
    [...text.matchAll(/PitonError\(\s*'([A-Z_]+)'/g)].map(([, code]) => code!),
  );
  const failures = sources.flatMap((text) =>
    [...text.matchAll(/code: '(?!PITON_)([A-Z_]+)'/g)].map(([, code]) => code!),
  );
  const reference = readFileSync('docs/reference/errors.md', 'utf8');
  const listed = [...reference.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code!);
  expect(listed.toSorted()).toEqual([...new Set([...thrown, ...failures])].toSorted());
});
