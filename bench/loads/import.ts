import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { costOf, install, rowsOfStarts, type Installed } from '../installed.ts';
import type { Row } from '../row.ts';
import type { Settings } from '../settings.ts';

const programs = {
  bare: '',
  imported: `import 'piton';`,
  settled: `import { open, workflow } from 'piton';
const piton = await open({ store: \`sqlite:\${process.pid}/piton.db\` });
const run = await piton.start(workflow('first').task('first', {}, () => 1));
await run.result();
process.exit();`,
};

/** From the start of the process, of the package as it is published. Nothing is compiled before: that is the program's to ask for. */
export async function importing({ rounds }: Settings): Promise<Row[]> {
  const installed = await install();
  return rowsOfStarts({
    rounds,
    measures: {
      bare: elapsed(installed, 'bare'),
      imported: elapsed(installed, 'imported'),
      settled: elapsed(installed, 'settled'),
    },
    rows: {
      imported: { load: "import 'piton'", limitMs: 80 },
      settled: { load: 'import, open, first task settled', limitMs: 160 },
    },
  });
}

function elapsed(installed: Installed, name: keyof typeof programs): () => number {
  const file = `${name}.mjs`;
  writeFileSync(join(installed.folder, file), programs[name]);
  return () => costOf(installed, [file]).elapsed;
}
