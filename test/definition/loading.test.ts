import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Runs a program and gives the packages it loaded. */
function packagesLoadedBy(program: string): string[] {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({
      load(url, context, next) {
        const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
        if (name !== undefined) loaded.add(name);
        return next(url, context);
      },
    });
    const definition = await import(${JSON.stringify(new URL('../../src/definition/index.ts', import.meta.url))});
    ${program}
    console.log(JSON.stringify([...loaded]));
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  return JSON.parse(output) as string[];
}

const define = (given: string) => `
  const workflow = definition.defineWorkflow({
    name: 'x',
    tasks: [{ name: 'a', if: 'failure()', work: { type: 'function', function: 'f', with: ${given} } }],
  });
  await definition.createEvaluator(workflow, {});
`;

test('defining and running a workflow without expressions loads no package', () => {
  expect(packagesLoadedBy(define('{ $function: "given" }'))).toEqual([]);
});

test('expressions load CEL, and nothing else', () => {
  expect(packagesLoadedBy(define('"${{ run.id }}"'))).toEqual(['@marcbachmann/cel-js']);
});
