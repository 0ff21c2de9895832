import { expect, test } from 'vitest';
import { stateGraph, workflow, type Definition } from '../../src/index.ts';

/** As people do who write JavaScript, or silence the compiler. */
type Loose = (...given: unknown[]) => LooseBuilder;
interface LooseBuilder extends Definition {
  readonly task: Loose;
  readonly command: Loose;
  readonly agent: Loose;
  readonly node: Loose;
  readonly edge: Loose;
}
const flow = (settings: object = {}): LooseBuilder => workflow('w', settings) as unknown as LooseBuilder;
const graph = (settings: object = {}): LooseBuilder => stateGraph('g', settings) as unknown as LooseBuilder;
const nothing = (): void => {};
const claude = { agent: 'claude' };

/** What is wrong, and what the builder says about it. */
const wrong: readonly (readonly [string, Definition, string])[] = [
  [
    'a node that nothing follows',
    graph().node('a', nothing),
    "nodes.a: Nothing follows `a`. Add an edge: `.edge('a', 'end')`, or to the node that follows.",
  ],
  [
    'a node that no edge leads to',
    graph().node('a', nothing).node('b', nothing).edge('a', 'end').edge('b', 'end'),
    "nodes.b: No edge leads to `b`. Add an edge to it: `.edge(…, 'b')`, or remove it.",
  ],
  [
    'an edge that is never taken',
    graph()
      .node('a', nothing)
      .edge('a', 'end')
      .edge('a', 'a', () => true),
    'nodes.a.edges[1]: The edge from `a` to `a` is never taken: one before it has no condition. Add the edge without a condition last.',
  ],
  [
    'an edge to nowhere',
    graph().node('a', nothing).edge('a', 'b'),
    'nodes.a.edges[0].to: There is no node `b`.',
  ],
  [
    'a limit of items',
    flow().task('a', { forEach: { in: () => [], maxParallel: 0 } }, nothing),
    'tasks.a.forEach.maxParallel: `maxParallel` must be a whole number of at least 1; it is 0.',
  ],
  ['a limit of tasks', flow({ maxParallel: 0 }).task('a', nothing), 'maxParallel: `maxParallel` must be'],
  [
    'a limit of steps',
    graph({ maxSteps: 0 }).node('a', nothing).edge('a', 'end'),
    'maxSteps: `maxSteps` must be',
  ],
  [
    'a limit of turns',
    flow().agent('a', { ...claude, maxTurns: 0 }, 'x'),
    'tasks.a.maxTurns: `maxTurns` must be',
  ],
  [
    'a task whose name is like a key',
    flow().task('max-parallel', { retry: { attempts: 0 } }, nothing),
    'tasks.max-parallel.retry.attempts: `attempts` must be',
  ],
  [
    'hours that are none',
    flow({ usageLimits: { quietHours: 'at night' } }).task('a', nothing),
    'usageLimits.quietHours: `at night` are no hours of a day.',
  ],
  [
    'a pool of a single task',
    flow().command('a', { pool: 2 }, 'x'),
    'tasks.a.pool: `pool` is shared by the items of a `forEach`, and this task has none. Remove it, or add `forEach`.',
  ],
  [
    'a pool of a function',
    flow().task('a', { pool: 2, forEach: { in: () => [] } }, nothing),
    '`pool` is for commands and agents: only they have a place of their own. Remove it: `maxParallel` in `forEach` says',
  ],
  [
    'a place of a function',
    flow().task('a', { onConflict: 'hold' }, nothing),
    'tasks.a.onConflict: `onConflict` is for commands and agents',
  ],
  [
    'an agent asked about a conflict of a command',
    flow().command('a', { onConflict: 'agent' }, 'x'),
    'tasks.a.onConflict: Only an agent can resolve a conflict, and this task is done by none.',
  ],
  [
    'locks of a nested workflow',
    flow().task('a', { repositoryLocks: ['db'] }, flow().task('b', nothing)),
    'tasks.a.repositoryLocks: `repositoryLocks` are held while an attempt runs',
  ],
  [
    'a check of a command',
    flow().command('a', { check: 'make' }, 'x'),
    'tasks.a.check: `check` is for agents, and this task is done by none. Put it into the command, behind `&&`',
  ],
  [
    'a session of a task that may not have run',
    flow()
      .agent('a', claude, 'x')
      .agent('b', { ...claude, session: { continue: 'a' } }, 'y'),
    "It may not have run yet. Add `needs: ['a']` to `b`.",
  ],
  [
    'a session that many continue',
    flow()
      .agent('a', claude, 'x')
      .agent('b', { ...claude, needs: ['a'], session: { continue: 'a' }, forEach: { in: () => [] } }, 'y'),
    "Let it fork the session: `session: { fork: 'a' }`.",
  ],
  [
    'an output that is read and not needed',
    flow().command('a', 'x').command('b', 'echo ${{ tasks.a.output }}'),
    "`b` reads `a` without needing it. It may not have run yet. Add `needs: ['a']` to `b`.",
  ],
  [
    'a program that is not named',
    flow().agent('a', { agent: 'acp' }, 'x'),
    "Name it, with its arguments: `args: ['opencode', 'acp']`.",
  ],
  [
    'no agent',
    flow().agent('a', { agent: [] }, 'x'),
    "Name it in its options: `agent: 'claude'`, or another.",
  ],
  [
    'a budget per day of a task',
    flow().agent('a', { ...claude, budget: { perDay: { usd: 1 } } }, 'x'),
    'Put it into the settings of the workflow: `budget: { perDay: { usd: 50 } }`.',
  ],
  [
    'a shell with options',
    flow().command('a', { shell: 'bash -u' }, 'x'),
    "Or give the command as a list: `['bash', '-u', 'script.sh']`.",
  ],
  [
    'variables that are none',
    flow().command('a', { inheritEnv: ['A B'] }, 'x'),
    'tasks.a.inheritEnv[0]: `A B` is neither the name of a variable nor the beginning of names. Write `GITHUB_TOKEN`, or `AWS_*` for all that begin so; `inheritEnv: true`',
  ],
];

/** Words that mean something only in a file. */
const wordsOfFiles =
  /`(next|uses|prompt|run|graph|defaults)[`:]|top of the file|\b(for-each|max-(?!parallel\.)|on-|not-on|idle-|usage-|quiet-|inherit-|repository-|per-)/;

test.each(wrong)('the builder tells of %s in its own words', (_, definition, words) => {
  const build = (): unknown => definition.workflow;
  expect(build).toThrow(words);
  expect(build).not.toThrow(wordsOfFiles);
});
