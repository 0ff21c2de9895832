/** Puts defects into copies of the sources and asks whether the tests notice: see CONTRIBUTING.md. */
import { parseArgs } from 'node:util';
import { runDefects } from '../test/mutants/run-defects.ts';
import { runStryker } from '../test/mutants/run-stryker.ts';

const usage = `npm run test:mutants -- [list] [--ordinary] [word …]
  Every defect of test/mutants, or those with one of the words in their name or file; about half an hour for all.
  --ordinary: only by what npm test runs
npm run test:mutants -- stryker [kernel|definition|store|views …]
  All mutants that Stryker generates in these parts; up to an hour for each.`;

process.exit(await main());

async function main(): Promise<number> {
  const { values, positionals } = read();
  if (values.help === true) return say(usage, 0);
  const [what = 'list', ...words] = positionals;
  if (what === 'list') return runDefects(words, { isOrdinary: values.ordinary === true });
  return what === 'stryker' ? runStryker(words) : say(usage, 2);
}

function read() {
  const options = { ordinary: { type: 'boolean' }, help: { type: 'boolean' } } as const;
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
