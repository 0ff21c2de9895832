import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.ts';

test('the library is typed end to end: what must be an error is one, and nothing else is', () => {
  const config = { encoding: 'utf8', stdio: 'pipe' } as const;
  expect(() => execFileSync('tsc', ['-p', 'test/types/tsconfig.json'], config)).not.toThrow();
});

/** Each line is wrong, and has what the compiler must say about it. */
const refusedLines = [
  [
    `workflow('w').task('a', async () => ({ list: [{ when: new Date() }] }));`,
    'NotStorable<".list[].when is a Date: store it as text, e.g. toISOString()">',
  ],
  [
    `workflow('w').task('a', { timeout: 1 }, () => ({ m: new Map<string, string>() }));`,
    'NotStorable<".m is a Map: store it as an object, e.g. Object.fromEntries(map)">',
  ],
  [
    `workflow('w').task('a', { forEach: { in: () => [1] } }, () => [1n]);`,
    'NotStorable<"[] is a bigint: store it as text, e.g. String(value)">',
  ],
  [
    `workflow('w').task('a', { forEach: { in: () => [new Date()] } }, () => 1);`,
    'NotStorable<"a Date: store it as text, e.g. toISOString()">',
  ],
  [`workflow<{ a: { when: Date } }>('w');`, `The types of 'a.when' are incompatible`],
  [`stateGraph<{ a: Set<string> }>('g');`, 'NotStorable<"a Set: store it as a list, e.g. [...set]">'],
  [`parallel<number, Date>('p', () => new Date());`, 'NotStorable<"a Date: store it as text'],
  // The compiler explains the last overload only: it must be one that speaks of what was given.
  [
    `workflow('w').task('a', { with: () => ({ n: 'text' }) }, child);`,
    `Type 'string' is not assignable to type 'number'`,
  ],
  [`workflow('w').task('a', { needs: ['b'] }, () => 1);`, `Type 'string' is not assignable to type 'never'`],
] as const;

test('the compiler says what cannot be stored, where it is, and what to store instead', () => {
  const folder = temporaryFolder();
  const imports = `import { parallel, stateGraph, workflow } from ${JSON.stringify(join(process.cwd(), 'src/index.ts'))};`;
  const child = `const child = workflow<{ n: number }>('c').task('a', () => 1);`;
  const lines = [imports, child, ...refusedLines.map(([line]) => line)];
  writeFileSync(join(folder, 'refused.ts'), lines.join('\n'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = { typeRoots: [join(process.cwd(), 'node_modules/@types')] };
  const config = { extends: join(process.cwd(), 'tsconfig.json'), compilerOptions, include: ['refused.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));

  const { stdout } = spawnSync('tsc', ['-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
  const errors = stdout.split(/^(?=\S.*refused\.ts\()/m);
  expect(errors.map((error) => Number(/\((\d+),/.exec(error)?.[1]))).toEqual(
    refusedLines.map((_, at) => at + 3),
  );
  for (const [at, [, message]] of refusedLines.entries()) expect(errors[at]).toContain(message);
});
