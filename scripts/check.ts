/** What a change has to pass before it is pushed, in the order of what fails fastest. `npm run check -- lint types` runs only those. */
import { spawnSync } from 'node:child_process';

const steps: Record<string, string[]> = {
  format: ['prettier', '--check', '--log-level', 'warn', '.'],
  lint: ['oxlint', '--quiet'],
  imports: ['depcruise', 'src', '--output-type', 'err-long'],
  types: ['tsc', '-p', 'tsconfig.json'],
  'dead code': ['knip', '--no-progress'],
  schema: ['node', 'scripts/write-schema.ts', '--check'],
  'key reference': ['node', 'scripts/write-key-reference.ts', '--check'],
  'cli reference': ['node', 'scripts/write-cli-reference.ts', '--check'],
  'json reference': ['node', 'scripts/write-json-reference.ts', '--check'],
  'api reference': ['node', 'scripts/write-api-reference.ts', '--check'],
  'journal shapes': ['node', 'scripts/write-journal-shapes.ts', '--check'],
  'state format': ['node', 'scripts/write-state-format.ts', '--check'],
  tests: ['node', 'scripts/test.ts'],
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !(name in steps));
if (unknown !== undefined) {
  console.error(`There is no step ${unknown}; there are ${Object.keys(steps).join(', ')}.`);
  process.exit(2);
}
for (const [name, [command, ...args]] of Object.entries(steps)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const startedAt = performance.now();
  const { status } = spawnSync(command!, args, { stdio: 'inherit' });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (status !== 0) process.exit(1);
}
