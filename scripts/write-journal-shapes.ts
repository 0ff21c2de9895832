/**
 * Writes down what commits of the newest journal version can hold. With `--check` it only compares. What a release has written
 * is never changed: then the version has to be raised first, so that the released Piton refuses what it does not know.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describeEvents, journalVersion } from '../src/model/index.ts';

const given = process.argv.slice(2).find((argument) => argument !== '--check');
const file = given ?? new URL('../test/fixtures/journal-shapes.txt', import.meta.url);
const stored = readFileSync(file, 'utf8');
const [title = '', ...events] = stored.split(/(?<=\n)/);
const [, version, release] = /^journal version (\d+), (unreleased|released with \S+)\n$/.exec(title) ?? [];
const isSame = Number(version) === journalVersion && events.join('') === describeEvents();

if (isSame) process.exit(0);
if (Number(version) === journalVersion && release !== 'unreleased') {
  fail(
    `Journal version ${version} was ${release}, and what is stored has changed since. Raise journalVersion in src/model/journal.ts, then write the shapes anew.`,
  );
}
if (process.argv.includes('--check')) {
  fail(
    'The shapes of events or definitions have changed. Write them anew: node scripts/write-journal-shapes.ts',
  );
}
writeFileSync(file, `journal version ${journalVersion}, unreleased\n${describeEvents()}`);

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
