/**
 * Type tests: this file is compiled, not run (`npm run check`, and test/types.test.ts in `npm test`).
 * A line after `@ts-expect-error` must be an error, all others must not.
 */
import { chain, open, parallel, route, stateGraph, workflow, type RegisteredAgent } from '../../src/index.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Equal<A, B> extends true ? [] : [never]): void {}

const piton = await open({ store: 'memory:' });

const build = workflow<{ n: number }>('build', { maxParallel: 4 })
  .task('fetch', async ({ inputs }) => ({ size: inputs.n }))
  .task('index', { needs: ['fetch'], retry: { attempts: 3 } }, async ({ needs, key, signal, attempt }) => {
    same<typeof needs.fetch.size, number>();
    same<typeof key, string>();
    same<typeof signal, AbortSignal>();
    same<typeof attempt, number>();
    return needs.fetch.size * 2;
  });

// A misspelt need is an error, and so is one that is not declared yet.
const one = workflow('w').task('a', () => 1);
// @ts-expect-error
one.task('b', { needs: ['aa'] }, () => 2);
const none = workflow('w');
// @ts-expect-error
none.task('b', { needs: ['a'] }, () => 2);

// What is not needed cannot be read.
workflow('w')
  .task('a', () => 1)
  .task('b', () => 2)
  // @ts-expect-error
  .task('c', { needs: ['a'] }, ({ needs }) => needs.b);

// Inputs are required, and of their type.
const run = await piton.start(build, { id: 'x', inputs: { n: 3 } });
// @ts-expect-error
await piton.start(build, {});
// @ts-expect-error
await piton.start(build);
// @ts-expect-error
await piton.start(build, { inputs: { n: 'three' } });
// @ts-expect-error
await piton.start(build, { inputs: { n: 3 }, state: {} });
await piton.start(workflow('none').task('a', () => 1));

const result = await run.result();
if (result.status === 'succeeded') same<typeof result.outputs.index, number>();
// @ts-expect-error
if (result.status !== 'succeeded') same<typeof result.outputs.index, number>();

// For-each: the item is typed by the list, the output is a list.
workflow<{ files: string[] }>('each')
  .task(
    'size',
    { forEach: { in: ({ inputs }) => inputs.files, key: (file) => file } },
    ({ item }) => item.length,
  )
  .task('sum', { needs: ['size'] }, ({ needs }) => {
    same<typeof needs.size, readonly number[]>();
    return needs.size.length;
  });

// A task that runs always sees that what it needs may be missing.
workflow('w')
  .task('a', () => 1)
  .task('clean', { needs: ['a'], if: 'always' }, ({ needs }) => {
    same<typeof needs.a, number | undefined>();
  })
  .task('shaky', { continueOnError: true }, () => 'text')
  .task('after', { needs: ['shaky', 'clean'] }, ({ needs }) => {
    same<typeof needs.shaky, string | undefined>();
    same<typeof needs.clean, null>();
  });

// Outputs of one's own.
const total = workflow<{ n: number }>('total')
  .task('one', ({ inputs }) => inputs.n)
  .outputs(({ one }) => ({ twice: one * 2 }));
same<Awaited<ReturnType<typeof succeeded<{ twice: number }>>>, { twice: number }>();
const totalResult = await (await piton.start(total, { inputs: { n: 1 } })).result();
if (totalResult.status === 'succeeded') same<typeof totalResult.outputs, { twice: number }>();

// A workflow in a workflow takes its inputs and gives its outputs.
workflow('outer')
  .task('n', () => 4)
  .task('inner', { needs: ['n'], with: ({ needs }) => ({ n: needs.n }) }, total)
  .task('end', { needs: ['inner'] }, ({ needs }) => needs.inner.twice);
workflow('outer').task(
  'inner',
  // @ts-expect-error
  { with: () => ({ n: 'text' }) },
  total,
);

// Graphs: nodes and edges are known by name, updates are of the state.
interface Draft {
  draft: string;
  ok: boolean;
}
const refine = stateGraph<Draft>('refine', { maxSteps: 100 })
  .node('write', async (state) => ({ draft: `${state.draft}x` }))
  .node('review', async (state) => ({ ok: state.draft.length > 0 }))
  .edge('write', 'review')
  .edge('review', 'end', (state) => state.ok)
  .edge('review', 'write');
// @ts-expect-error
refine.edge('write', 'reviw');
// @ts-expect-error
refine.node('bad', () => ({ dratf: '' }));
// @ts-expect-error
refine.node('bad', (state) => void (state.draft = ''));
const refined = await (await piton.start(refine, { state: { draft: '', ok: false } })).result();
same<typeof refined.state, Draft>();
// @ts-expect-error
await piton.start(refine, { state: { draft: 1 } });

// Time spans, however they are made up.
workflow('spans').task('a', { timeout: '1h30m', retry: { attempts: 2, backoff: 500 } }, () => 1);

// Commands: what they print is text, unless they say otherwise; later tasks see it.
workflow<{ tag: string }>('commands', { breakers: { registry: { failures: 3, cooldown: '10s' } } })
  .command('version', 'git describe')
  .command('facts', { needs: ['version'], capture: 'json' }, ['cat', 'facts.json'])
  .command('sizes', { output: { type: 'object' } }, 'du --json')
  .command('quiet', { capture: 'none', env: { TAG: '${{ inputs.tag }}', N: 1 }, secrets: ['TOKEN'] }, 'true')
  .command('lines', { forEach: { in: ({ inputs }) => [inputs.tag] } }, 'echo ${{ item }}')
  .command('shaky', { continueOnError: true, errors: [{ exit: [3], class: 'transient' }] }, 'false')
  .task(
    'all',
    {
      needs: ['version', 'facts', 'sizes', 'quiet', 'lines', 'shaky'],
      approval: 'Sure?',
      resources: ['registry'],
    },
    ({ needs }) => {
      same<typeof needs.version, string>();
      same<typeof needs.facts, unknown>();
      same<typeof needs.sizes, unknown>();
      same<typeof needs.quiet, null>();
      same<typeof needs.lines, readonly string[]>();
      same<typeof needs.shaky, string | undefined>();
    },
  );
// @ts-expect-error
none.command('b', { needs: ['a'] }, 'true');
// @ts-expect-error
none.command('b', { capture: 'xml' }, 'true');
stateGraph<{ log: string }>('commands')
  .command('look', { update: (output) => ({ log: output }) }, 'ls ${{ state.log }}')
  .command('count', 'wc')
  .edge('look', 'count')
  .edge('count', 'end');

// Agents: they answer with text, unless a schema asks for more; sessions are those of tasks before.
const agents = workflow<{ topic: string }>('agents')
  .agent('plan', { agent: 'claude', permissions: 'read', maxTurns: 3 }, 'Plan ${{ inputs.topic }}.')
  .agent('facts', { agent: ['codex', 'claude'], needs: ['plan'], output: { type: 'object' } }, 'List facts.')
  .agent(
    'parts',
    { agent: 'claude', session: { fork: 'plan' }, forEach: { in: ({ inputs }) => [inputs.topic] } },
    'Write ${{ item }}.',
  )
  .agent('extra', { agent: 'gemini', continueOnError: true, onInterrupt: 'continue' }, 'Anything else?');
agents.task('all', { needs: ['plan', 'facts', 'parts', 'extra'] }, ({ needs }) => {
  same<typeof needs.plan, string>();
  same<typeof needs.facts, unknown>();
  same<typeof needs.parts, readonly string[]>();
  same<typeof needs.extra, string | undefined>();
});
// @ts-expect-error
agents.agent('b', { agent: 'claud' }, 'x');
declare const mine: RegisteredAgent;
agents.agent('b', { agent: [mine, 'claude'], args: { [mine]: ['-v'] } }, 'x');
// @ts-expect-error
agents.agent('b', { agent: 'claude', session: { continue: 'nothing' } }, 'x');
// @ts-expect-error
agents.agent('b', { agent: 'claude', capture: 'json' }, 'x');
// @ts-expect-error
agents.agent('b', { agent: 'claude', permissions: 'all' }, 'x');
// @ts-expect-error
agents.agent('b', {}, 'x');
agents
  .agent('checked', { agent: 'claude', check: 'npm test', shell: 'bash' }, 'x')
  .agent('often', { agent: 'claude', check: { run: ['npm', 'test'], revise: 3 } }, 'x')
  .agent('both', { agent: ['claude', 'acp'], args: { claude: ['-v'], acp: ['opencode', 'acp'] } }, 'x')
  .task('then', { needs: ['checked', 'both'] }, ({ needs }) => {
    same<typeof needs.checked, string>();
    same<typeof needs.both, string>();
  });
// Where tasks work, and what becomes of what they leave there.
workflow('places', { workspace: 'worktree', base: 'main', setup: { copy: ['.env'], run: ['npm', 'ci'] } })
  .command('a', { workspace: 'shared', onConflict: 'hold' }, 'x')
  .agent('b', { agent: 'claude', setup: 'npm ci', onConflict: 'agent' }, 'x')
  .agent('c', { agent: 'claude', setup: false }, 'x');
stateGraph<{ log: string }>('places', { workspace: 'shared', base: 'v1', setup: 'make' });
// @ts-expect-error
workflow('places', { workspace: 'remote' });
// @ts-expect-error
workflow('places', { setup: { command: 'npm ci' } });
// @ts-expect-error
none.command('b', { onConflict: 'agent' }, 'x');
// @ts-expect-error
none.command('b', { base: 'main' }, 'x');
// @ts-expect-error
none.task('b', { workspace: 'shared' }, () => 1);
// @ts-expect-error
agents.agent('b', { agent: 'claude', check: { revise: 3 } }, 'x');
// @ts-expect-error
agents.agent('b', { agent: 'claude', check: { run: 'x', revisions: 3 } }, 'x');
// @ts-expect-error
agents.agent('b', { agent: 'claude', args: { claud: ['-v'] } }, 'x');
// @ts-expect-error
agents.agent('b', { agent: 'claude', budget: { perDay: { usd: 5 } } }, 'x');
// @ts-expect-error
agents.command('b', { check: 'npm test' }, 'x');
// @ts-expect-error
agents.task('b', { check: 'npm test' }, () => 1);
// @ts-expect-error
agents.command('b', { onInterrupt: 'continue' }, 'x');
stateGraph<{ log: string }>('agents')
  .agent(
    'look',
    { agent: 'claude', check: 'make', update: (output) => ({ log: output }) },
    'Look at ${{ state.log }}.',
  )
  .agent('judge', { agent: 'claude', session: { continue: 'look' } }, 'Judge it.')
  .edge('look', 'judge')
  .edge('judge', 'end');

// What agents may use up, and how long they are waited for.
workflow('spending', {
  budget: { usd: 5, perDay: { tokens: 1_000 } },
  usageLimits: { wait: '6h', quietHours: '22:00-07:00' },
});
stateGraph<object>('spending', { budget: { perDay: { usd: 50 } }, usageLimits: { wait: false } });
// @ts-expect-error
workflow('spending', { budget: { perDay: { perDay: { usd: 5 } } } });
// @ts-expect-error
workflow('spending', { usageLimits: { quietHours: 22 } });

// Where tasks work, and what becomes of what they leave.
const placed = workflow('placed', { workspace: { copy: '.' }, cleanup: 'keep', deliver: 'pr' })
  .command('a', { workspace: 'directory', artifacts: ['dist'], setup: { ports: 2, caches: ['.x'] } }, 'x')
  .agent('b', { agent: 'claude', forEach: { in: () => [1] }, pool: 2, workspace: { copy: '.' } }, 'x')
  .task('c', { repositoryLocks: ['db'] }, () => 1);
workflow('placed', { deliver: { pr: { base: 'main', draft: true, title: 'x' }, approval: 'Now?' } });
stateGraph<object>('placed', { workspace: { remote: 'box' }, cleanup: 'archive' });
// @ts-expect-error
placed.command('d', { workspace: 'remote' }, 'x');
// @ts-expect-error
placed.command('d', { workspace: { copy: 'a', remote: 'b' } }, 'x');
// @ts-expect-error
placed.command('d', { artifacts: [3] }, 'x');
// @ts-expect-error
placed.task('d', { artifacts: ['dist'] }, () => 1);
// @ts-expect-error
workflow('placed', { cleanup: 'delete' });
// @ts-expect-error
workflow('placed', { deliver: 'merge' });
// @ts-expect-error
stateGraph<object>('placed', { deliver: 'pr' });

// Patterns.
const sum = chain<number, number>('sum', ({ result: before, item }) => before + item);
const sumResult = await (await piton.start(sum, { inputs: { items: [1], initial: 0 } })).result();
if (sumResult.status === 'succeeded') same<typeof sumResult.outputs, number>();
// A workflow that takes less may stand where more is given, not the other way round.
const takesItem = workflow<{ item: number }>('i')
  .task('t', ({ inputs }) => inputs.item)
  .outputs(({ t }) => t);
chain<number, number>('c', takesItem);
const takesMore = workflow<{ item: number; more: string }>('i')
  .task('t', ({ inputs }) => inputs.item)
  .outputs(({ t }) => t);
// @ts-expect-error
chain<number, number>('c', takesMore);
const squares = parallel<number, string>('squares', async (n) => String(n));
const nested = workflow('n').task('all', { with: () => ({ items: [1, 2] }) }, squares);
const nestedResult = await (await piton.start(nested)).result();
if (nestedResult.status === 'succeeded') same<typeof nestedResult.outputs.all, readonly string[]>();
route<{ n: number }, string>('r', [{ when: ({ n }) => n > 1, run: () => 'big' }], () => 'small');
// @ts-expect-error
route<{ n: number }, string>('r', [{ when: ({ m }) => m > 1, run: () => 'big' }]);

async function succeeded<T>(): Promise<T> {
  return undefined as T;
}

// What a person answers has the type that was asked for.
const asking = workflow('w')
  .ask('text', 'Who?')
  .ask('port', { type: 'integer', default: 1 }, 'Which port?')
  .ask('sure', { type: 'boolean', deadline: '1h' }, 'Sure?')
  .ask('place', { choices: ['here', 'there'], needs: ['port'] }, 'Where?')
  .ask('each', { forEach: { in: () => ['a'] }, type: 'number' }, 'How many?')
  .task('read', { needs: ['text', 'port', 'sure', 'place', 'each'] }, async ({ needs, ask }) => {
    same<typeof needs.text, string>();
    same<typeof needs.port, number>();
    same<typeof needs.sure, boolean>();
    same<typeof needs.place, 'here' | 'there'>();
    same<typeof needs.each, readonly number[]>();
    const chosen = await ask('Which?', { choices: ['a', 2] });
    same<typeof chosen, 'a' | 2>();
    const text = await ask('Which?', { deadline: '1h', default: 'x' });
    same<typeof text, string>();
    // @ts-expect-error
    await ask('Which?', { choices: ['a'], default: 'b' });
    return ask('How many?', { type: 'number' });
  });
// @ts-expect-error
asking.ask('more', { choices: ['a'], default: 'b' }, 'Which?');
// @ts-expect-error
asking.ask('more', { retry: 3 }, 'Which?');
