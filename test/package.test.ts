import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { programs } from '../src/base/program-file.ts';

/** For what hangs. */
const timeout = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'piton-installed-'));
const clone = join(folder, 'clone');
const prefix = join(folder, 'prefix');
const place = join(folder, 'node_modules/piton');

/** What the guide says to type, by its headings. `git` and `npm ci` are typed by `.ci/run`, in a clone. */
const guide = Object.fromEntries(
  readFileSync('docs/guides/install.md', 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const blocks = Array.from(section.matchAll(/^```bash\n(.*?)^```/gms), ([, block]) => block!);
      const lines = blocks.flatMap((block) => block.trimEnd().split('\n'));
      return [section.split('\n')[0]!, lines.filter((line) => !/^(?:git|cd|npm ci)\b/.test(line))];
    }),
);

beforeAll(() => {
  mkdirSync(prefix);
  copyClone();
  write('package.json', '{ "type": "module" }');
  write('list-loaded.cjs', listLoaded);
  type('npm pack', clone);
  cpSync(join(clone, archive), join(folder, archive));
  type(`npm install ./${archive}`, folder);
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const archive = `piton-${packageJson.version}.tgz`;

/** What a clone has, as it is now, with the packages that `npm ci` would install. */
function copyClone(): void {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { encoding: 'utf8' }).split('\0').slice(0, -1);
  for (const file of files.filter((name) => existsSync(name))) cpSync(file, join(clone, file));
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
}

/** Types a command into a shell whose npm reaches no network, and installs globally into a folder of the test. */
function type(line: string, cwd: string): string {
  const env = {
    ...process.env,
    PATH: [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH']].join(':'),
    npm_config_prefix: prefix,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  };
  return execFileSync('sh', ['-c', line], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
  });
}

/** Tells on its third stream which files Node has loaded as modules. */
const listLoaded = `const loaded = [];
require('module').registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) loaded.push(require('url').fileURLToPath(url));
    return next(url, context);
  },
});
process.on('exit', () => require('fs').writeSync(3, JSON.stringify(loaded)));`;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function node(...args: string[]): SpawnSyncReturns<string> {
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const;
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: [...stdio], timeout });
}

function piton(...args: string[]): SpawnSyncReturns<string> {
  return node(join(place, 'bin/piton.js'), ...args);
}

/** Whose code was loaded, besides ours: by the source maps of the files. */
function strangersIn(ended: SpawnSyncReturns<string>): string[] {
  expect(ended).toMatchObject({ status: 0, stderr: '' });
  const ours = (JSON.parse(ended.output[3]!) as string[]).filter((file) => file.startsWith(`${place}/dist/`));
  expect(ours).not.toEqual([]);
  const sources = ours.flatMap((file) => sourcesOf(`${file}.map`));
  const names = sources.map((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).toSorted();
}

/** A file that only hands on what others export has no map. */
function sourcesOf(map: string): readonly string[] {
  if (!existsSync(map)) return [];
  return (JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] }).sources;
}

const program = `import { DatabaseSync } from 'node:sqlite';
import { open, workflow } from 'piton';

const piton = await open({ store: 'sqlite:library/piton.db', leaseMs: 6_000 });
const expiresAt = (): number => {
  using database = new DatabaseSync('library/piton.db', { readOnly: true });
  return Number(database.prepare('SELECT max(expires_at) AS at FROM leases').get()!['at']);
};
const definition = workflow('installed')
  .task('renewed', {}, () => {
    const before = expiresAt();
    // The thread of the heartbeat renews it, although this one does nothing but wait.
    while (expiresAt() === before && Date.now() < before)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    return expiresAt() > before ? 'renewed' : 'lost';
  })
  .command('greet', 'echo hello')
  .task('both', { needs: ['renewed', 'greet'] }, ({ needs }) => [needs.renewed, needs.greet]);
const run = await piton.start(definition);
const result = await run.result();
console.log(result.status, result.status === 'succeeded' && result.outputs.both);
await piton.close();
`;

test('the guide installs it from a clone, from a tarball and into a project, and removes it again', () => {
  expect(guide['From a clone']).toEqual(['npm install --global .', 'piton --version']);
  expect(guide['From a tarball']).toEqual([
    'npm pack',
    `npm install --global ./${archive}`,
    'piton --version',
  ]);
  expect(guide['In one project only']).toEqual([`npm install ./${archive}`, 'npx piton --version']);
  expect(guide['Removing it']).toEqual(['npm uninstall --global piton']);
  const version = `${packageJson.version}\n`;
  const installed = (lines: readonly string[], cwd: string): string =>
    lines.map((line) => type(line, cwd)).at(-1)!;
  const remove = (): void => {
    installed(guide['Removing it']!, folder);
    expect(existsSync(join(prefix, 'bin/piton'))).toBe(false);
  };
  expect(installed(guide['From a clone']!, clone)).toBe(version);
  remove();
  // The tarball was made before the first test, and is in both folders.
  expect(installed(guide['From a tarball']!.slice(1), folder)).toBe(version);
  remove();
  expect(type(guide['In one project only']![1]!, folder)).toBe(version);
}, 300_000);

test('the README and the pages that it leads to are in the package, and so is all that they link to', () => {
  const pages = globSync('**/*.md', { cwd: place });
  expect(pages).toContain('docs/guides/install.md');
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(place, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map(([, target]) => join(dirname(page), target!))
      .filter((target) => !existsSync(join(place, target)))
      .map((target) => `${page} → ${target}`),
  );
  expect(broken).toEqual([]);
});

test('the demo works from the package', () => {
  const env = { ...process.env, TMPDIR: folder, PITON_DURABILITY: 'process' };
  const call = { cwd: folder, env, encoding: 'utf8', timeout } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(place, 'bin/piton.js'), 'demo'], call);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('7 pieces of work, each done once');
});

test('it is not published before its repository is known', () => {
  expect(() => type('npm run --silent prepublishOnly', clone)).toThrow(/repository, homepage, bugs/);
});

/** The TypeScript of the docs, a file for each example. */
function writeExamples(): string[] {
  return globSync('docs/**/*.md').flatMap((document) =>
    Array.from(readFileSync(document, 'utf8').matchAll(/```ts\n(.*?)```/gs), ([, code], index) => {
      const file = `${basename(document, '.md')}-${index + 1}.ts`;
      write(file, code!);
      return file;
    }),
  );
}

test('what is installed can be used and compiled, as can all examples of the docs: functions, commands, the thread that keeps a lease, the suite of stores', () => {
  write('program.ts', program);
  const { status, stdout, stderr } = node('program.ts');
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: "succeeded [ 'renewed', 'hello' ]\n",
    stderr: '',
  });
  const [store] = /(?<=```ts\n)import \{ afterEach.*?(?=```)/s.exec(
    readFileSync('docs/guides/stores.md', 'utf8'),
  )!;
  write('store.test.ts', store);
  const tested = node('--test', 'store.test.ts');
  expect(tested).toMatchObject({ status: 0, stderr: '' });
  expect(
    Number(/^# pass (\d+)$/m.exec(tested.stdout)?.[1] ?? /pass (\d+)/.exec(tested.stdout)?.[1]),
  ).toBeGreaterThan(60);
  mkdirSync(join(folder, 'node_modules/@types'));
  symlinkSync(resolve('node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        module: 'nodenext',
        target: 'es2024',
        lib: ['es2024', 'esnext.disposable'],
        types: ['node'],
        strict: true,
        noEmit: true,
      },
      files: ['program.ts', 'store.test.ts', ...writeExamples()],
    }),
  );
  expect(spawnSync('tsc', ['-p', folder], { encoding: 'utf8' }).stdout).toBe('');
});

test("nobody else's code is loaded to import it and to run a function; the command line loads only what the call needs", () => {
  write('import.ts', `import 'piton';`);
  write(
    'first-task.ts',
    `import { open, workflow } from 'piton';
const piton = await open({ store: 'sqlite:first/piton.db' });
const run = await piton.start(workflow('first').task('first', {}, () => 1));
await run.result();
await piton.close();`,
  );
  const listing = ['--require', './list-loaded.cjs'];
  expect(strangersIn(node(...listing, 'import.ts'))).toEqual([]);
  expect(strangersIn(node(...listing, 'first-task.ts'))).toEqual([]);
  const command = join(place, 'bin/piton.js');
  expect(strangersIn(node(...listing, command, '--version'))).toEqual([]);
  const status = strangersIn(node(...listing, command, 'status', '--store', 'sqlite:first/piton.db'));
  expect(status).toEqual(['commander']);
});

test('the command runs workflow files, with the programs that come with it', () => {
  write(
    '.piton/workflows/installed.yaml',
    `name: installed
inputs: { name: { type: string, default: you } }
tasks:
  greet: { run: 'echo hello \${{ inputs.name }}' }
  answer: { needs: greet, agent: scripted, permissions: full, prompt: 'Answer \${{ tasks.greet.output }}' }
`,
  );
  expect(piton('run', 'installed')).toMatchObject({ status: 0, stderr: '' });
  expect(piton('--version').stdout).toBe(`${packageJson.version}\n`);
  const files = programs.map((name) => join(place, 'dist', `${name}.js`));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test('nothing is shipped but what is used, and the licences of those whose code it is', () => {
  expect(readdirSync(place).toSorted()).toEqual([
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'bin',
    'dist',
    'docs',
    'examples',
    'package.json',
    'schema',
  ]);
  const licences = readFileSync(join(place, 'dist/third-party-licenses.txt'), 'utf8');
  const maps = readdirSync(join(place, 'dist/chunks')).filter((file) => file.endsWith('.map'));
  const sources = maps.flatMap((file) => sourcesOf(join(place, 'dist/chunks', file)));
  const bundled = sources.flatMap(
    (source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
  );
  expect(new Set(bundled).size).toBeGreaterThan(3);
  for (const name of new Set(bundled)) expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
});

test('a stack trace leads to the sources', () => {
  const misspelt = `import('piton').then(({ open }) => open({ stor: 'memory:' }))`;
  const { stderr } = node('--enable-source-maps', '--eval', misspelt);
  expect(stderr).toMatch(/\/src\/assemble\.ts:\d+:\d+/);
});

test('what Node has compiled for the command is kept among the caches of the user, and not where others can write', () => {
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
  const callWith = (caches: string): void => {
    const env = { ...inherited, XDG_CACHE_HOME: caches, TMPDIR: join(folder, 'temporary') };
    spawnSync(process.execPath, [join(place, 'bin/piton.js'), '--version'], { cwd: folder, env, timeout });
  };
  mkdirSync(join(folder, 'temporary'));
  callWith(join(folder, 'caches'));
  expect(readdirSync(join(folder, 'caches', 'piton'))).not.toEqual([]);
  expect(readdirSync(join(folder, 'temporary'))).toEqual([]);
  mkdirSync(join(folder, 'open-caches'));
  chmodSync(join(folder, 'open-caches'), 0o777);
  callWith(join(folder, 'open-caches'));
  expect(readdirSync(join(folder, 'open-caches', 'piton'))).toEqual([]);
});

test('a run goes on although the package is updated under it: its driver has loaded what it may come to need', () => {
  const chunks = join(place, 'dist/chunks');
  const work = {
    workspace: 'directory',
    run: `mv ${chunks}.old ${chunks}; echo 1`,
    output: { type: 'integer' },
  };
  const tasks = {
    update: { workspace: 'shared', run: `mv ${chunks} ${chunks}.old` },
    work: { needs: 'update', ...work },
  };
  write('.piton/workflows/updated.yaml', JSON.stringify({ name: 'updated', tasks }));
  expect(piton('run', 'updated')).toMatchObject({ status: 0, stderr: '' });
});
