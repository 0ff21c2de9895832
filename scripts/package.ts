import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundle } from './bundle.ts';

const root = join(import.meta.dirname, '..');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
}

/** What is published as `dist`: bundled JavaScript with its source maps, declarations, and the licences of what is bundled. */
export async function buildPackage(folder: string): Promise<void> {
  await buildProgram(folder);
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', folder], {
    cwd: root,
    stdio: 'inherit',
  });
  keepReachable(folder);
}

async function buildProgram(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const modules = await bundle(folder);
  writeFileSync(join(folder, 'third-party-licenses.txt'), licencesOf(modules));
}

/**
 * Packs the package as it would be published, but without declarations, which take most of the time, and unpacks it into
 * the `node_modules` of a folder. Gives where it is.
 */
export async function installInto(folder: string): Promise<string> {
  const stage = mkdtempSync(join(tmpdir(), 'piton-package-'));
  try {
    await buildProgram(join(stage, 'dist'));
    for (const file of ['package.json', ...manifestOf(root).files.filter((name) => name !== 'dist')])
      cpSync(join(root, file), join(stage, file), { recursive: true });
    const packing = ['pack', '--ignore-scripts', '--silent'];
    const archive = execFileSync('npm', packing, { cwd: stage, encoding: 'utf8', stdio: 'pipe' }).trim();
    const place = join(folder, 'node_modules', 'piton');
    mkdirSync(place, { recursive: true });
    execFileSync('tar', ['-xzf', join(stage, archive), '-C', place, '--strip-components=1']);
    return place;
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Whoever ships the code of others has to ship what they say about it. */
function licencesOf(modules: readonly string[]): string {
  const packages = new Set(
    modules.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  const texts = [...packages].toSorted().map((place) => {
    const { name, version } = manifestOf(place);
    const licence = readdirSync(place).find((file) => /^licen[cs]e/i.test(file));
    if (licence === undefined) throw new Error(`${name} has no licence to be shipped with its code.`);
    return `${name} ${version}\n\n${readFileSync(join(place, licence), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** Most declarations are about the inside, which nobody can import: those that the public ones need are kept. */
function keepReachable(folder: string): void {
  const kept = new Set<string>();
  const keep = (file: string): void => {
    if (kept.has(file)) return;
    kept.add(file);
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)) {
      if (name.startsWith('.')) keep(join(dirname(file), name.replace(/\.ts$/, '.d.ts')));
      else if (!name.startsWith('node:'))
        throw new Error(`The types in ${file} need ${name}, which is not installed with us.`);
    }
  };
  for (const entry of ['index.d.ts', 'testing/index.d.ts']) keep(join(folder, entry));
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (file.endsWith('.d.ts') && !kept.has(file)) rmSync(file);
  }
}
