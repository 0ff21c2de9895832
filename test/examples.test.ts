import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { library } from './support/built.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const expected: Record<string, string> = {
  'order.ts': `task.succeeded reserve
task.delayed charge
task.succeeded pack
task.succeeded charge
task.succeeded send
succeeded packed, paid by ada, sent
`,
  'refine.ts': `round 2 of write
round 2 of review
round 3 of write
round 3 of review
A start. Better: more than 8 letters. Better: more than 37 letters.
after the first step: A start.
`,
  'test-packages.ts': `succeeded { failed: 1 }
[
  'Tested 3 packages',
  'core succeeded',
  'ui succeeded',
  'docs failed'
]
`,
};

test('every example program is tried here', () => {
  expect(
    globSync('examples/*.ts')
      .map((file) => file.slice('examples/'.length))
      .toSorted(),
  ).toEqual(Object.keys(expected));
});

test.for(Object.entries(expected))(
  'examples/%s prints what it should, also when it is run again',
  ([name, output]) => {
    const folder = temporaryFolder();
    cpSync('examples', folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`'piton'`, JSON.stringify(library)));
    const run = (): string => execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
    expect([run(), run()]).toEqual([output, output]);
  },
);
