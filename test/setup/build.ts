/**
 * What the tests start as processes is built once: hundreds of sources would be read by each of thousands of processes.
 * So it is also what is published that is killed, and not only its sources.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { bundle } from '../../scripts/bundle.ts';

const programs = resolve(import.meta.dirname, '../support/programs');

export async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'piton-test-build-'));
  const named = readdirSync(programs).map((file) => [
    `programs/${basename(file, '.ts')}`,
    join(programs, file),
  ]);
  await bundle(join(folder, 'dist'), Object.fromEntries(named) as Record<string, string>);
  cpSync(resolve(import.meta.dirname, '../../bin'), join(folder, 'bin'), { recursive: true });
  process.env['PITON_TEST_BUILD'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
