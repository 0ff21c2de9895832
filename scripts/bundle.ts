import { join } from 'node:path';
import { build, type BuildOptions, type CodeSplittingGroup, type RolldownOutput } from 'rolldown';
import { programs } from '../src/base/program-file.ts';

const root = join(import.meta.dirname, '..');
const source = join(root, 'src');

/** `programFile` finds the others from a file in `chunks/`, whoever uses it. */
const base: CodeSplittingGroup = { name: 'base', test: /\/src\/base\//, priority: 1 };

/** All that comes with the library is one file. What it loads later, and the command line, are files of their own. */
const core: CodeSplittingGroup = {
  name: 'core',
  test: /\/src\/(?!interfaces\/|testing\/|store\/[^/]+\/(?!address\.ts))/,
  tags: ['$initial'],
};

/**
 * Bundles src/ into a folder, with all it needs of others: the library (`index.js`), `piton/testing`, the command line
 * (`interfaces/cli/main.js`), and the programs that these start. The folder may be anywhere. Tests name further entries,
 * which then share the modules of the library. Gives back which modules went in.
 */
export async function bundle(
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const library = { ...entriesOf(['index', 'testing/index', 'interfaces/cli/main']), ...more };
  const outputs = [
    await build(optionsFor(folder, library, [base, core])),
    // Apart from the library: a small program is not to load what it shares a file with.
    await build(optionsFor(folder, entriesOf(programs), [base])),
  ];
  return outputs.flatMap(modulesOf);
}

function entriesOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, join(source, `${name}.ts`)]));
}

function optionsFor(
  folder: string,
  input: Record<string, string>,
  groups: CodeSplittingGroup[],
): BuildOptions {
  return {
    cwd: root,
    input,
    platform: 'node',
    output: {
      dir: folder,
      // For the lines in stack traces: the sources themselves are in the repository.
      sourcemap: true,
      sourcemapExcludeSources: true,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: { groups },
    },
    logLevel: 'warn',
    // The programs of tests import what the library loads on demand.
    checks: { ineffectiveDynamicImport: false },
  };
}

function modulesOf({ output }: RolldownOutput): string[] {
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}
