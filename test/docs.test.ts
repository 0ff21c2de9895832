import { execFile } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { stepNames } from '../src/agents/scripted/part.ts';
import { withBuiltImports } from './support/built.ts';
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
        writeFileSync(file, withBuiltImports(code));
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

test('every guide can be reached from the README, which is where all of them are listed', () => {
  const readme = readFileSync('README.md', 'utf8');
  const missing = globSync('docs/guides/*.md').filter((guide) => !readme.includes(`](${guide})`));
  expect(missing).toEqual([]);
});

test('the README has two commands, each enough on a fresh clone, and CI begins with the second', () => {
  const blocks = readFileSync('README.md', 'utf8').matchAll(/^```sh\n(.*?)^```/gms);
  const commands = Array.from(blocks, ([, text]) => text!.trimEnd());
  expect(commands).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
  const [first] = readFileSync('.ci/run', 'utf8').match(/^(?!#|set |cd ).+$/m)!;
  expect(first).toBe(`bash -c '${commands[1]}'`);
});

test('nothing promises a package on a registry: only the guide to installing names npx, for what is installed in a project', () => {
  const promising = documents.filter((document) => {
    const text = readFileSync(document, 'utf8');
    const isInstalling = document === 'docs/guides/install.md';
    return /npm i(?:nstall)? (?:-\S+ )*piton\b/.test(text) || (!isInstalling && text.includes('npx piton'));
  });
  expect(promising).toEqual([]);
});

test('every step of the scripted agent is in its guide, and no other', () => {
  const guide = readFileSync('docs/guides/scripted.md', 'utf8');
  const listed = Array.from(guide.matchAll(/^\| `([a-z]+)` /gm), ([, name]) => name);
  expect(listed).toEqual(stepNames);
});

test('every view of the reference is a type of the library, under the same name', () => {
  const views = readFileSync('docs/reference/json.md', 'utf8').matchAll(/^### (\w+)$/gm);
  const exported = new Set(readFileSync('src/index.ts', 'utf8').match(/\w+/g));
  expect(Array.from(views, ([, name]) => name!).filter((name) => !exported.has(name))).toEqual([]);
});

test('every export of the library says in a comment what it is', () => {
  const sources = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const documented = new Set(
    sources.flatMap((text) =>
      Array.from(
        text.matchAll(/\*\/\nexport (?:async )?(?:class|interface|type|function) (\w+)/g),
        ([, name]) => name!,
      ),
    ),
  );
  const lists = ['src/index.ts', 'src/testing/index.ts'].flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(/\{([^}]*)\} from/g), ([, names]) => names!),
  );
  const names = lists.flatMap((list) => list.match(/\b(?!type\b)\w+/g) ?? []);
  // It is called `Standing` where it is made.
  expect(names.filter((name) => !documented.has(name) && name !== 'TrustStanding')).toEqual([]);
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
