import { expect, test } from 'vitest';
import { refusedPermissions } from '../../src/definition/define/refused-permissions.ts';
import type { Permissions } from '../../src/model/index.ts';

const accepts = (agent: string, permissions: Permissions) =>
  refusedPermissions(agent, permissions) === undefined;

test.each<[string, Permissions, boolean]>([
  ['command', 'full', true],
  ['command', 'edit', false],
  ['command', ['full'], false],
  ['goose', 'full', true],
  ['goose', 'read', true],
  ['goose', 'edit', false],
  ['goose', ['read'], false],
  ['codex', 'edit', true],
  ['codex', ['read-only'], true],
  ['codex', ['network', 'workspace-write'], true],
  ['codex', ['danger-full-access', 'network'], true],
  ['codex', ['network'], false],
  ['codex', ['read-only', 'workspace-write'], false],
  ['codex', ['read-only', 'Read'], false],
  ['codex', ['read-only', 'network', 'Read'], false],
  ['codex', ['Read'], false],
  ['claude', ['Read'], true],
])('whether %s can be limited to %j: %s', (agent, permissions, expected) => {
  expect(accepts(agent, permissions)).toBe(expected);
});

test('it is told what can be written instead', () => {
  expect(refusedPermissions('codex', ['Read', 'Edit'])).toEqual({
    message: 'The agent `codex` knows no list of tools, such as [Read, Edit].',
    remedy: 'Write one of read-only, workspace-write, danger-full-access, and `network` if it may use that.',
  });
});
