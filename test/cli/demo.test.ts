import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newProject } from './command-line.ts';

test('the demo shows a kill and a comeback, counts every task once, and leaves nothing behind', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'piton-demo-test-'));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  const { code, stdout, stderr } = await newProject().binary(['demo'], { env: { TMPDIR: temporary } });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/harvested +ended while nobody looked +lint, types/);
  expect(stdout).toMatch(/adopted +still ran, and was let run +test/);
  expect(stdout).toMatch(/started again +was killed before its work was done +docs/);
  expect(stdout).toMatch(/done before the kill +not touched again +fetch, install/);
  expect(stdout).toContain('12 names, none twice.');
  expect(readdirSync(temporary).filter((name) => name.startsWith('piton-'))).toEqual([]);
});
