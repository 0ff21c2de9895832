/** Puts defects into copies of the sources and asks whether the tests notice: see CONTRIBUTING.md. */
import { parseArgs } from 'node:util';
import { listDefects, runDefects } from '../test/mutants/run-defects.ts';
import { runStryker } from '../test/mutants/run-stryker.ts';

const usage = `npm run test:mutants -- run [word …] [--ordinary]   puts in each defect with one of the words in its name or file, default: all
                                                    (half an hour), and runs its tests; --ordinary: only what npm test runs
npm run test:mutants -- list [word …]               prints them, runs nothing; exits with 1 if one is stale
npm run test:mutants -- stryker [part …]            all mutants that Stryker generates; up to an hour for each part
                                                    (kernel, definition, store, views); --share 1/4: of a quarter of its files`;

process.exit(await main());

async function main(): Promise<number> {
  const { values, positionals } = read();
  if (values.help === true) return say(usage, 0);
  const [what = 'run', ...words] = positionals;
  if (what === 'run') return runDefects(words, { isOrdinary: values.ordinary === true });
  if (what === 'list') return listDefects(words);
  if (what === 'stryker') return runStryker(words, values.share);
  return say(
    `There is no '${what}'. For defects with that word: npm run test:mutants -- run ${what}\n${usage}`,
    2,
  );
}

function read() {
  const options = {
    ordinary: { type: 'boolean' },
    share: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    process.exit(say(`${(error as Error).message}\n${usage}`, 2));
  }
}

function say(text: string, code: number): number {
  (code === 0 ? console.log : console.error)(text);
  return code;
}
