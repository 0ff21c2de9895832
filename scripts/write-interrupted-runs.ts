/**
 * Makes the runs of `test/fixtures/interrupted` that are not there yet, or those that are named. Each is driven by the command line
 * of this version and interrupted. What is there is never written anew: it shows what a version once wrote.
 */
import { capture } from '../test/support/interrupted/capture.ts';
import { fixtureNames, writeBlob, writeFixture } from '../test/support/interrupted/fixture.ts';
import { scenes } from '../test/support/interrupted/scenes.ts';
import { Workshop } from '../test/support/interrupted/workshop.ts';

const given = process.argv.slice(2);
const there = new Set(fixtureNames());
const wanted = Object.keys(scenes).filter((name) => given.length === 0 || given.includes(name));

for (const name of wanted.filter((one) => !there.has(one))) {
  const workshop = new Workshop(name);
  try {
    await scenes[name]!(workshop);
    const { fixture, blobs } = capture(workshop);
    for (const [hash, text] of blobs) writeBlob(hash, text);
    writeFixture(fixture);
    console.log(`${name}: ${fixture.journal.length} commits`);
  } catch (error) {
    console.error(`${name} could not be made: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  } finally {
    workshop.close();
  }
}
