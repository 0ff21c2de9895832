import { expect, test } from 'vitest';
import { assertSecrets, secretNames } from '../../src/engine/secrets.ts';
import type { RunState } from '../../src/kernel/index.ts';
import type { Workflow } from '../../src/model/index.ts';
import { task, workflow } from '../support/workflows.ts';

const withSecret = (name: string, secret: string) =>
  ({
    ...task(name),
    work: { type: 'command', run: 'true', shell: 'sh', env: {}, secrets: [secret], capture: 'text' },
  }) as never;

function nested(): Workflow {
  const inner = workflow([withSecret('deploy', 'INNER')]);
  const call = { ...task('child'), work: { type: 'workflow', workflow: inner, inputs: {} } } as never;
  return workflow([withSecret('build', 'OUTER'), call]);
}

const begun = (of: Workflow, lives: Readonly<Record<string, string>> = {}): RunState =>
  ({
    workflow: of,
    tasks: new Map(Object.entries(lives).map(([name, status]) => [name, { life: { status } }])),
  }) as unknown as RunState;

test('the secrets of a workflow are those of its tasks, however deep', () => {
  expect([...secretNames(nested())]).toEqual(['OUTER', 'INNER']);
});

test('a run does not begin without a secret that any of its tasks needs, however deep', () => {
  const state = begun(nested());
  expect(() => assertSecrets(state, { OUTER: 'x' })).toThrowError(
    expect.objectContaining({ code: 'SECRET_MISSING', message: expect.stringContaining('INNER') }),
  );
  expect(() => assertSecrets(state, { INNER: 'x' })).toThrowError(
    expect.objectContaining({ code: 'SECRET_MISSING', message: expect.stringContaining('OUTER') }),
  );
  expect(() => assertSecrets(state, { OUTER: '', INNER: '' })).not.toThrow();
});

test('what has settled needs its secrets no more, what has only begun does', () => {
  expect(() => assertSecrets(begun(nested(), { build: 'succeeded' }), { INNER: 'x' })).not.toThrow();
  expect(() => assertSecrets(begun(nested(), { build: 'running' }), { INNER: 'x' })).toThrow('OUTER');
});
