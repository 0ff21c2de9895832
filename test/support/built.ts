/** What tests start as processes: built by `test/setup/build.ts`; from the sources where nothing was built. */
import { basename, dirname, join, resolve } from 'node:path';

const build = process.env['PITON_TEST_BUILD'];

/** The real command line. */
export const binary: string = join(build ?? resolve(import.meta.dirname, '../..'), 'bin/piton.js');

/** What programs import as `piton`. */
export const library: string =
  build === undefined ? resolve(import.meta.dirname, '../../src/index.ts') : join(build, 'dist/index.js');

/** A text with the imports of what is published replaced by what was built. */
export function withBuiltImports(code: string): string {
  return code.replaceAll(/'piton(\/testing)?'/g, (_, testing?: string) =>
    JSON.stringify(testing === undefined ? library : join(dirname(library), 'testing', basename(library))),
  );
}

/** One of `programs/`. */
export function builtProgram(name: string): string {
  return build === undefined
    ? join(import.meta.dirname, 'programs', `${name}.ts`)
    : join(build, 'dist/programs', `${name}.js`);
}
