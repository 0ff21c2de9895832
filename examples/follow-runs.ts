// Follows all runs of a store, whoever drives them, and prints each after every change. Kill it and start it again: it goes on
// after the last change that it has printed, and misses none. Ctrl-C ends it.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open, PitonError, type RunLine, type RunView } from 'piton';

const [store = 'sqlite:./state.db', place = './follow-runs.cursor'] = process.argv.slice(2);

function print({ run, workflow, status, progress }: RunLine | RunView): void {
  console.log(`${run}  ${workflow}  ${status}  ${progress.done}/${progress.total}`);
}

/** Where the last call stopped; undefined the first time. */
function readCursor(): string | undefined {
  try {
    return readFileSync(place, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whole or not at all: who is killed while writing must not leave half a cursor. */
function keepCursor(cursor: string): void {
  writeFileSync(`${place}.new`, cursor);
  renameSync(`${place}.new`, place);
}

const leaving = new AbortController();
process.once('SIGINT', () => leaving.abort());
process.once('SIGTERM', () => leaving.abort());

await using piton = await open({ store });
let cursor = readCursor();
if (cursor === undefined) {
  // First the cursor, then the list: what happens in between is told twice rather than never.
  cursor = await piton.newestCursor();
  for (const line of await piton.runs()) print(line);
  keepCursor(cursor);
}
for await (const change of piton.changes({ after: cursor, signal: leaving.signal })) {
  try {
    print(await (await piton.find(change.run)).view());
  } catch (error) {
    if (!(error instanceof PitonError && error.code === 'RUN_NOT_FOUND')) throw error;
    console.log(`${change.run}  removed`);
  }
  // After it was printed: a change that was not is told again.
  keepCursor(change.cursor);
}
