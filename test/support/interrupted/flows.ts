/** The workflows of the fixtures, and the files of their repositories. None names a folder: they lie wherever a fixture is loaded. */

type Files = Readonly<Record<string, string>>;

export interface Flow {
  readonly workflow: object;
  /** What its repository has besides. */
  readonly files?: Files;
}

/** Its first argument names a step: it leaves a line in a ledger, and waits for as long as it is told to, which is how steps are interrupted. */
export const stepFile = `G=$(git rev-parse --git-common-dir)
echo "$1" >> "$G/ledger"
if [ -e "$G/hang-$1" ]; then
  touch "$G/reached-$1"
  while [ -e "$G/hang-$1" ]; do sleep 0.05; done
fi
`;

/** Fails once. */
const onceRed = `sh step check
G=$(git rev-parse --git-common-dir)
if [ ! -e "$G/checked" ]; then touch "$G/checked"; echo not mended; exit 1; fi
`;

/** It is another step when it has been content before: then a merge is verified. */
const green = `G=$(git rev-parse --git-common-dir)
if [ -e "$G/checked" ]; then sh step verify; else sh step check; touch "$G/checked"; fi
`;

const until = (condition: string): string => `until ${condition} 2>/dev/null; do sleep 0.05; done`;
/** Lands while the other is being set up: what both made is to be merged then. */
const first = (text: string): object => ({
  run: `sh step first; ${until('[ -e ../build/.git ]')}; ${text}; echo first > first.txt`,
});
const setup = 'sh step setup';
const setupAfterFirst = `${setup}; ${until('git cat-file -e "piton/$PITON_RUN:first.txt"')}`;
const after = { needs: 'build', run: 'sh step after' };
const failsOnce = `sh step build; G=$(git rev-parse --git-common-dir); [ -e $G/failed ] || { touch $G/failed; echo not yet; exit 75; }`;

/** An agent that does this in its turns, the last in all that follow. */
function agent(turns: readonly (readonly object[])[], more: object = {}): [object, Files] {
  const part = `${JSON.stringify({ turns })}\n`;
  return [{ agent: 'scripted', permissions: 'full', prompt: 'Do it. [[part: part]]', ...more }, { part }];
}

const does = (name: string, text: string): object => ({ run: `sh step ${name}; ${text}` });

function builder(work: string, again: string, more: object): [object, Files] {
  return agent(
    [
      [{ say: 'At it.' }, does('work', work), { answer: 'built' }],
      [does('again', again), { answer: 'built again' }],
    ],
    more,
  );
}

/** Setup, work, a check that fails once, revision, integration, and a command after it. */
function solo(): Flow {
  const more = { setup, check: { run: 'sh check', revise: 2 } };
  const [build, files] = builder('echo work >> build.txt', 'echo again >> build.txt', more);
  return {
    workflow: { workspace: 'worktree', tasks: { build, after } },
    files: { ...files, check: onceRed },
  };
}

/** Beside another task, so that what both made is verified before it lands. */
function walk(): Flow {
  const more = { setup: setupAfterFirst, check: { run: 'sh check', revise: 2 } };
  const [build, files] = builder('echo work >> build.txt', 'echo again >> build.txt', more);
  const tasks = { first: first(':'), build, after };
  return { workflow: { workspace: 'worktree', tasks }, files: { ...files, check: green } };
}

/** The same line in two tasks: the agent of the second is to make it fit. */
function conflict(): Flow {
  const more = { setup: setupAfterFirst, 'on-conflict': 'agent' };
  const [build, files] = builder('echo build > a.txt', 'echo both > a.txt', more);
  return { workflow: { workspace: 'worktree', tasks: { first: first('echo 1 > a.txt'), build } }, files };
}

/** As `conflict`, and a person is asked. */
function clash(): Flow {
  const build = { setup: setupAfterFirst, run: 'sh step build; echo build > a.txt' };
  return { workflow: { workspace: 'worktree', tasks: { first: first('echo 1 > a.txt'), build } } };
}

/** What two tasks made conflicts; both are to be merged with what another made. */
function batch(): Flow {
  const turns = [
    [does('$PITON_TASK', 'echo 1 > $PITON_TASK.txt'), { answer: 'done' }],
    [does('again', 'echo 1 > mended.txt'), { answer: 'done' }],
  ];
  const check = 'sh step check; [ ! -e left.txt ] || [ ! -e right.txt ] || [ -e mended.txt ]';
  const [side, files] = agent(turns, { check: { run: check, revise: 2 } });
  const both = until('[ -e ../left/.git ] && [ -e ../right/.git ]');
  const first = { run: `sh step first; ${both}; echo first > first.txt` };
  return { workflow: { workspace: 'worktree', tasks: { first, left: side, right: side } }, files };
}

function approval(): Flow {
  const plan = { run: 'sh step plan; echo planned' };
  const build = { needs: 'plan', approval: 'Release it?', run: 'sh step build' };
  return { workflow: { tasks: { plan, build, after } } };
}

const shared = { workspace: 'shared' };

function question(): Flow {
  const ask = { ask: { input: { command: 'deploy' }, reason: 'it cannot be undone' } };
  const turns = [
    [does('work', ':'), ask],
    [ask, does('again', ':'), { answer: 'deployed' }],
  ];
  const [build, files] = agent(turns, shared);
  return { workflow: { tasks: { build, after } }, files };
}

/** The same beside a task that goes on meanwhile. */
function beside(): Flow {
  const { workflow, files = {} } = question();
  return {
    workflow: { tasks: { ...(workflow as { tasks: object }).tasks, other: { run: 'sh step other' } } },
    files,
  };
}

/** Uses up more than it may in its first turn. */
function spender(settings: object, more: object = {}): Flow {
  const turns = [
    [{ usage: { input: 150, output: 0, soFar: true } }, { hang: true }],
    [{ usage: { input: 1, output: 0 } }, does('again', ':'), { answer: 'built' }],
  ];
  const [build, files] = agent(turns, { ...shared, ...more });
  return { workflow: { ...settings, tasks: { build } }, files };
}

/** Long ago for whoever loads the fixture. */
const limitEnds = Date.UTC(2026, 0, 5, 12);

/** An agent that fails so in its first turn. */
function troubled(step: object, settings: object = {}): Flow {
  const turns = [
    [does('work', ':'), step],
    [does('again', ':'), { answer: 'built' }],
  ];
  const [build, files] = agent(turns, shared);
  return { workflow: { ...settings, tasks: { build } }, files };
}

const limit = { limit: { until: limitEnds, text: 'too much' } };

/** Items that ask, and leave the only place of their pool to others meanwhile. */
function aside(): Flow {
  const ask = { ask: { input: { command: 'deploy' }, reason: 'it cannot be undone' } };
  const turns = [
    [does('work', ':'), ask],
    [ask, does('again', ':'), { answer: 'deployed' }],
  ];
  const [build, files] = agent(turns, { 'for-each': { in: ['a', 'b'] }, pool: 1, setup });
  return { workflow: { workspace: 'worktree', tasks: { build } }, files };
}

/** The first failure stops the rest. */
function fast(): Flow {
  const tasks = { build: { run: failsOnce }, other: { run: 'sh step other' }, after };
  return { workflow: { 'fail-fast': true, tasks } };
}

function ask(): Flow {
  const build = { needs: 'plan', 'on-interrupt': 'ask', run: 'sh step build; echo built' };
  return { workflow: { tasks: { plan: { run: 'sh step plan' }, build } } };
}

function retry(): Flow {
  const build = { needs: 'plan', retry: { attempts: 3, backoff: '1h' }, run: failsOnce };
  return { workflow: { tasks: { plan: { run: 'sh step plan' }, build } } };
}

function breaker(): Flow {
  const flaky = { resources: 'registry', retry: { attempts: 3, backoff: '1s' } };
  const plan = { run: 'sh step plan' };
  const tasks = {
    plan,
    build: { ...flaky, run: failsOnce },
    other: { ...flaky, needs: 'plan', run: 'sh step other' },
  };
  return { workflow: { breakers: { registry: { failures: 1, cooldown: '1h' } }, tasks } };
}

function failing(): Flow {
  const plan = { run: 'sh step plan' };
  const never = { needs: 'plan', if: 'false', run: 'sh step never' };
  return { workflow: { tasks: { plan, build: { needs: 'plan', run: failsOnce }, after, never } } };
}

/** Items that take the places of a pool in turn. */
function items(): Flow {
  const run = 'sh step ${{ item }}; echo 1 > ${{ item }}.txt';
  const build = { 'for-each': { in: ['a', 'b', 'c', 'd'] }, pool: 2, setup, run };
  return { workflow: { workspace: 'worktree', tasks: { build, after } } };
}

function nested(): Flow {
  const tasks = { one: { run: 'sh step one; echo 1' }, two: { needs: 'one', run: 'sh step two; echo 2' } };
  return { workflow: { tasks: { build: { tasks }, after } } };
}

function graph(): Flow {
  const second = {
    run: 'sh step second',
    update: { n: '${{ state.n + 1 }}' },
    next: [{ if: 'state.n < 2', to: 'first' }, { to: 'end' }],
  };
  const nodes = { first: { run: 'sh step first', next: 'second' }, second };
  return { workflow: { state: { n: 0 }, start: 'first', 'max-steps': 9, graph: nodes } };
}

function chain(): Flow {
  const two = { needs: 'one', 'on-interrupt': 'ask', run: 'sh step two; echo 2' };
  const tasks = {
    one: { run: 'sh step one; echo 1' },
    two,
    three: { needs: 'two', run: 'sh step three; echo 3' },
  };
  return { workflow: { tasks } };
}

export const flows = {
  solo,
  walk,
  conflict,
  clash,
  approval,
  question,
  beside,
  budget: (): Flow => spender({}, { budget: { tokens: 100 } }),
  day: (): Flow => spender({ budget: { 'per-day': { tokens: 100 } } }),
  limit: (): Flow => troubled(limit),
  'limit-held': (): Flow => troubled(limit, { 'usage-limits': { wait: false } }),
  network: (): Flow => troubled({ fail: { kind: 'network', message: 'no way through' } }),
  aside,
  fast,
  batch,
  ask,
  retry,
  breaker,
  failing,
  items,
  nested,
  graph,
  chain,
} satisfies Readonly<Record<string, () => Flow>>;

export type FlowName = keyof typeof flows;
