import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The same for all tests of the git layer, so that the same work makes the same commits everywhere. */
export const trailers = { run: 'run-1', task: 'build', attempt: 'a1', seq: 7 };
export const at = Date.UTC(2026, 0, 2, 3, 4, 5);

/** What Piton keeps of the user's, for all tests that do not say otherwise, and the processes that they start. */
const given = process.env['PITON_TEST_STATE'];
const state = given ?? mkdtempSync(join(tmpdir(), 'piton-test-state-'));
process.env['PITON_TEST_STATE'] = state;
if (given === undefined) process.once('exit', () => rmSync(state, { recursive: true, force: true }));

/** Neither the configuration nor the identity of whoever runs the tests. */
export function plainEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    XDG_STATE_HOME: state,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    ...more,
  };
}
