import { describe, expect, test } from 'vitest';
import type { TaskDraft, WorkflowDraft } from '../../src/definition/index.ts';
import { refusal, task, workflow } from './support.ts';

/** What JSON cannot keep, wherever it stands. */
const lost = new Map() as never;
const withLost = { inside: [lost] } as never;

const message = expect.stringMatching(/a Map, which JSON cannot keep/);

describe('a value that JSON cannot keep is refused by its key', () => {
  const command = (given: object): Partial<TaskDraft> => ({ work: { type: 'command', run: 'ls', ...given } });
  const agent = (given: object): Partial<TaskDraft> => ({
    work: { type: 'agent', agents: ['claude'], prompt: 'Go.', ...given },
  });

  test.each<[string, Partial<TaskDraft>]>([
    ['if', { if: lost }],
    ['output', { output: withLost }],
    ['approval', { approval: lost }],
    ['check', { ...agent({}), check: withLost }],
    ['workspace', { ...command({}), workspace: withLost }],
    ['setup', { ...command({}), setup: withLost }],
    ['pool', { ...command({}), pool: lost }],
    ['artifacts', { ...command({}), artifacts: [lost] }],
    ['repositoryLocks', { repositoryLocks: [lost] }],
    ['errors', { errors: [lost] }],
    ['forEach.in', { forEach: { in: [lost] } }],
    ['forEach.key', { forEach: { in: [1], key: lost } }],
    ['with', { work: { type: 'function', function: 'f', with: lost } }],
    ['env', command({ env: { A: lost } })],
    ['secrets', command({ secrets: [lost] })],
    ['permissions', agent({ permissions: [lost] })],
    ['args', agent({ args: [lost] })],
    ['budget', agent({ budget: withLost })],
    ['env', agent({ env: { A: lost } })],
    ['secrets', agent({ secrets: [lost] })],
  ])('%s', (key, given) => {
    expect(refusal(() => workflow([task('a', given)]))).toContainEqual({ path: `tasks.a.${key}`, message });
  });

  test.each<[string, Partial<TaskDraft>]>([
    ['run', command({ run: [lost] })],
    ['agent', agent({ agents: [lost] })],
  ])('%s, and nothing else is told that follows from it', (key, given) => {
    expect(refusal(() => workflow([task('a', given)]))).toEqual([{ path: `tasks.a.${key}`, message }]);
  });

  test('of a delivery', () => {
    const deliver = { pr: { title: lost } } as never;
    expect(refusal(() => workflow([task('a')], { deliver }))).toEqual([{ path: 'deliver.pr', message }]);
  });

  test.each<[string, Partial<WorkflowDraft>]>([
    ['inputs', { inputs: { a: withLost } }],
    ['outputs', { outputs: lost }],
    ['checkpoint', { checkpoint: withLost }],
    ['graph', { graph: withLost }],
    ['breakers', { breakers: { a: withLost } }],
    ['budget', { budget: withLost }],
    ['workspace', { workspace: withLost }],
    ['usageLimits', { usageLimits: withLost }],
  ])('%s of the workflow', (key, given) => {
    expect(refusal(() => workflow([task('a')], given))).toContainEqual({ path: key, message });
  });

  test('but what a value throws itself is not taken for that', () => {
    const given = {
      get broken(): never {
        throw new RangeError('out of paper');
      },
    };
    const act = () => workflow([task('a', { work: { type: 'function', function: 'f', with: given } })]);
    expect(act).toThrow(RangeError);
  });
});

test('what is done to a draft later changes nothing in the workflow', () => {
  const env = { A: 'x' };
  const args = ['-v'];
  const secrets = ['TOKEN'];
  const run = ['ls'];
  const pr = { title: 'Done' };
  const deliver = { pr };
  const { tasks } = workflow(
    [
      task('a', { work: { type: 'command', run, env, secrets } }),
      task('b', { work: { type: 'agent', agents: ['claude'], prompt: 'Go.', env, args, secrets } }),
    ],
    { deliver },
  );
  const before = JSON.stringify(tasks);
  env.A = 'y';
  for (const list of [args, secrets, run]) list.push('more');
  pr.title = 'Undone';
  expect(JSON.stringify(tasks)).toBe(before);
  for (const draft of [env, args, secrets, run, pr]) expect(Object.isFrozen(draft)).toBe(false);
});
