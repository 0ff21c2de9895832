import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { installInto } from '../scripts/package.ts';
import { programs } from '../src/base/program-file.ts';

/** For what hangs. */
const timeout = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'piton-installed-'));
let place: string;

beforeAll(async () => {
  place = await installInto(folder);
  write('package.json', '{ "type": "module" }');
  write('list-loaded.cjs', listLoaded);
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

test('what is installed can be used and compiled: functions, commands, the thread that keeps a lease', () => {
  write('program.ts', program);
  const { status, stdout, stderr } = node('program.ts');
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: "succeeded [ 'renewed', 'hello' ]\n",
    stderr: '',
  });
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
      files: ['program.ts'],
    }),
  );
  expect(() => execFileSync('tsc', ['-p', folder], { encoding: 'utf8', stdio: 'pipe' })).not.toThrow();
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
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'dist',
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
