import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { binary, withBuiltImports } from './built.ts';

/** Guides are followed as a reader would: files are written, and commands typed, in the order in which they stand there. */
export function followGuides(names: readonly string[]): void {
  const readers = new Map(names.map((name) => [name, newReader()]));
  test.for(names)('%s', (guide) => {
    expect(follow(readers.get(guide)!, guide)).toEqual([]);
  });
}

/** The same, by one reader in one folder. */
export function followInOneFolder(names: readonly string[]): void {
  const reader = newReader();
  test.for(names)('%s', (guide) => {
    expect(follow(reader, guide)).toEqual([]);
  });
}

/** Those that have commands to type; only the benchmarks would take too long. */
export function guidesToFollow(): string[] {
  const names = globSync('docs/guides/*.md').map((file) => basename(file, '.md'));
  return names.filter(
    (name) => name !== 'benchmarks' && stepsOf(name).some(({ language }) => language === 'sh'),
  );
}

interface Step {
  readonly language: string;
  readonly text: string;
}

function stepsOf(guide: string): Step[] {
  const text = readFileSync(`docs/guides/${guide}.md`, 'utf8');
  return [...text.matchAll(/^(```+)(sh|yaml|ts)\n(.*?)^\1$/gms)]
    .map(([, , language, block]) => ({ language: language!, text: block! }))
    .filter(({ language, text: block }) => language === 'sh' || fileNamed(block) !== undefined);
}

/** The first line of a file's text may say where it belongs: `# .piton/workflows/build.yaml`. */
function fileNamed(block: string): string | undefined {
  return /^(?:#|\/\/) (\S+\.(?:yaml|ts))\n/.exec(block)?.[1];
}

/** Each command with the exit code it is to end with: `piton run x # exit 3`. */
function scriptOf(block: string): string {
  const lines = block.replaceAll('\\\n', '').trimEnd().split('\n');
  return lines
    .map((line) => {
      const expected = / # exit (\d+)$/.exec(line)?.[1] ?? '0';
      return `${line}\ncode=$?; [ $code = ${expected} ] || { echo "exit $code, not ${expected}: ${line.replaceAll(/["$`\\]/g, '')}" >&2; exit 99; }`;
    })
    .join('\n');
}

interface Reader {
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** An empty folder, and a shell that knows `piton`. */
function newReader(): Reader {
  const folder = mkdtempSync(join(tmpdir(), 'piton-reader-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const bin = join(folder, 'bin');
  const project = join(folder, 'project');
  mkdirSync(bin);
  mkdirSync(project);
  symlinkSync(process.execPath, join(bin, 'node'));
  writeFileSync(join(bin, 'piton'), `#!/bin/sh\nexec node "${binary}" "$@"\n`, { mode: 0o755 });
  const path = `${bin}${delimiter}${process.env['PATH']}`;
  // As somebody who is new here: nothing is trusted yet.
  const own = { PITON_TRUST: '', XDG_STATE_HOME: join(folder, 'state') };
  return { project, env: { ...process.env, ...own, PATH: path, NO_COLOR: '1', PITON_DURABILITY: 'process' } };
}

/** What went otherwise than the guide says. */
function follow({ project, env }: Reader, guide: string): string[] {
  const surprises: string[] = [];
  for (const { language, text } of stepsOf(guide)) {
    if (language === 'sh') {
      const { status, stderr, stdout } = spawnSync('sh', ['-c', scriptOf(text)], { cwd: project, env });
      if (status !== 0) surprises.push(`${text}\n${String(stdout)}\n${String(stderr)}`);
      continue;
    }
    const file = join(project, fileNamed(text)!);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, withBuiltImports(text));
  }
  return surprises;
}
