/**
 * Puts defects into copies of the sources and asks whether the tests notice. `list [--ordinary] [words]`, the default: those of
 * `test/mutants`, or those of them whose names have one of the words; `stryker [folder]`: all that Stryker thinks of.
 */
import { runDefects } from '../test/mutants/run-defects.ts';
import { runStryker } from '../test/mutants/run-stryker.ts';

const [what = 'list', ...words] = process.argv.slice(2);
const options = words.filter((word) => word.startsWith('--'));
const names = words.filter((word) => !word.startsWith('--'));

if (what === 'list') process.exit(await runDefects(names, { isOrdinary: options.includes('--ordinary') }));
if (what === 'stryker') process.exit(runStryker(names));
console.error('usage: npm run test:mutants -- list [--ordinary] [word …] | stryker [folder …]');
process.exit(2);
