import { join } from 'node:path';
import { build, type BuildOptions } from 'rolldown';
import { programs } from '../src/base/program-file.ts';

const root = join(import.meta.dirname, '..');

/**
 * Bundles src/ into a folder: the library (`index.js`), the command line (`interfaces/cli/main.js`) and the programs that
 * both start, with all they need of others. The folder may be anywhere. Tests may have further programs bundled with
 * it, by name: these then share the library's modules.
 */
export async function bundle(folder: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  await build(optionsFor(folder, more));
}

function optionsFor(folder: string, more: Readonly<Record<string, string>>): BuildOptions {
  const entries = ['index', 'interfaces/cli/main', ...programs];
  return {
    cwd: root,
    input: { ...Object.fromEntries(entries.map((name) => [name, join(root, 'src', `${name}.ts`)])), ...more },
    platform: 'node',
    output: {
      dir: folder,
      cleanDir: true,
      sourcemap: true,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      // `programFile` finds its root from a file in chunks/, wherever it is used.
      codeSplitting: { groups: [{ name: 'base', test: /\/src\/base\// }] },
    },
    logLevel: 'warn',
  };
}
