/** Builds dist/ from scratch: bundled JavaScript with its source maps, declarations, and the licences of what is bundled. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundle } from './bundle.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'dist');

rmSync(folder, { recursive: true, force: true });
const modules = await bundle(folder);
writeFileSync(join(folder, 'third-party-licenses.txt'), licencesOf(modules));
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
keepReachable(join(folder, 'index.d.ts'));

/** Whoever ships the code of others has to ship what they say about it. */
function licencesOf(files: readonly string[]): string {
  const packages = new Set(
    files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  const texts = [...packages].toSorted().map((place) => {
    const { name, version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Named;
    const licence = readdirSync(place).find((file) => /^licen[cs]e/i.test(file));
    if (licence === undefined) throw new Error(`${name} has no licence to be shipped with its code.`);
    return `${name} ${version}\n\n${readFileSync(join(place, licence), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

interface Named {
  readonly name: string;
  readonly version: string;
}

/** Most declarations are about the inside, and nobody could import them: those that the public ones need are kept. */
function keepReachable(entry: string): void {
  const kept = new Set<string>();
  const keep = (file: string): void => {
    if (kept.has(file)) return;
    kept.add(file);
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)) {
      if (name!.startsWith('.')) keep(join(dirname(file), name!.replace(/\.ts$/, '.d.ts')));
      else assertInstalled(name!, file);
    }
  };
  keep(entry);
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, entry);
    if (file.endsWith('.d.ts') && !kept.has(file)) rmSync(file);
  }
}

/** What is bundled is not installed with the package, but its types may be asked for. */
function assertInstalled(name: string, file: string): void {
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  if (name.startsWith('node:') || Object.hasOwn(dependencies, name)) return;
  throw new Error(`The public types need ${name}, which is no dependency: ${file}`);
}
