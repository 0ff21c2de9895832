/** Goes on with a fixture to its end, as a person would who lets everything go on. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  open,
  type Checkpoint,
  type Definition,
  type Piton,
  type Run,
  type RunEvent,
} from '../../../src/index.ts';
import { systemClock } from '../../../src/base/index.ts';
import { openStore } from '../../../src/store/index.ts';
import { agentEnvironment } from '../user-repository.ts';
import { readFixture } from './fixture.ts';
import { here, layOut, loadJournal } from './load.ts';

/** Loads it into a folder that is empty. */
export async function load(name: string, root: string): Promise<void> {
  const fixture = readFixture(name);
  await layOut(fixture, here(root));
  const store = await openStore(urlIn(root), { durability: 'process', clock: systemClock });
  try {
    await loadJournal(store, fixture, here(root));
  } finally {
    await store.close();
  }
}

function urlIn(root: string): string {
  return `sqlite:${join(root, 'repository/.piton/piton.db')}`;
}

/**
 * In words, a line each: how it ended, what ran how often, what became of each task since it was loaded, and what is left. Throws
 * if a task that had settled is begun again. `given`: the definition, if it has functions.
 */
export async function finish(name: string, root: string, given?: Definition): Promise<string> {
  const environment = { ...process.env, ...agentEnvironment, PITON_SCRIPTED_HOME: join(root, 'sessions') };
  await using piton = await open({ store: urlIn(root), durability: 'process', graceMs: 300, environment });
  if (readFixture(name).head !== undefined) await piton.repair(name);
  const before = await (await piton.find(name)).checkpoint();
  const definition = given ?? (await piton.definitionOf(name)).definition;
  const run = await piton.resume(definition, name);
  const { status } = await Promise.race([run.result(), attend(piton, run)]);
  const events = await Array.fromAsync(run.events({ after: before.seq }));
  assertNotAgain(before, events);
  // Places are cleaned up until it is closed.
  await piton.close();
  const courses = racing.has(name) ? '' : coursesOf(events);
  return `${status}\nran ${ledgerOf(root)}\n${courses}${remains(root, name)}`;
}

/** Of two tasks, either may be the first to go on. */
const racing: ReadonlySet<string> = new Set(['rejected-batch']);

function assertNotAgain({ tasks }: Checkpoint, events: readonly RunEvent[]): void {
  const settled = new Set(['succeeded', 'failed', 'skipped', 'cancelled']);
  for (const event of events)
    if (event.type === 'attempt.started' && settled.has(tasks[event.task]?.status ?? ''))
      throw new Error(`${event.task} had settled, and is begun again`);
}

/** More than any of them needs to its end. */
const mostSteps = 40;

/** Answers whatever waits for a person. Rejects if that does not help, or the run goes round in circles. */
function attend(piton: Piton, run: Run): Promise<never> {
  const lost = Promise.withResolvers<never>();
  let steps = 0;
  const look = (): void => void answerAll(run).catch(lost.reject);
  piton.observe(({ type }) => {
    if (type === 'attempt.started') steps += 1;
    if (type === 'task.held' || type === 'gate.opened') {
      steps += 1;
      look();
    }
    if (steps > mostSteps) lost.reject(new Error(`${run.id} does not come to its end`));
  });
  look();
  return lost.promise;
}

async function answerAll(run: Run): Promise<void> {
  const { tasks } = await run.checkpoint();
  for (const [task, { status, gate, actions = [], isConflicting, workspace }] of Object.entries(tasks)) {
    if (status !== 'held') continue;
    if (gate !== undefined) await run.approve(task);
    else if (actions.includes('raise-tokens')) await run.raiseBudget(task, { tokens: 1000 });
    else if (isConflicting === true) await solve(run, task, workspace!.path);
    else if (actions.includes('recreate')) await run.place(task, 'recreate');
    else await run.retry(task);
  }
}

async function solve(run: Run, task: string, place: string): Promise<void> {
  writeFileSync(join(place, 'a.txt'), 'both\n');
  await run.retry(task);
}

function coursesOf(events: readonly RunEvent[]): string {
  const steps = events.flatMap((event) => {
    const step = stepOf(event);
    return step === undefined || !('task' in event) ? [] : [{ task: String(event.task), step }];
  });
  const courses = [...Map.groupBy(steps, ({ task }) => task)];
  const lines = courses.map(([task, all]) => `${task}: ${all.map(({ step }) => step).join(', ')}\n`);
  return lines.sort().join('');
}

/** How many there are, and when, differs from time to time. */
const uncertain: ReadonlySet<RunEvent['type']> = new Set([
  'attempt.spawned',
  'session.opened',
  'transcript.added',
  'workspace.prepared',
  'workspace.saved',
  'workspace.cleaned',
  'command.decided',
]);

function stepOf(event: RunEvent): string | undefined {
  if (event.type === 'attempt.recovered') return event.data.how;
  if (event.type === 'attempt.ended') return event.data.outcome;
  if (event.type !== 'attempt.started') return uncertain.has(event.type) ? undefined : event.type;
  const { kind = 'work', agent } = event.data;
  return `starts ${kind}${agent === undefined ? '' : ` (${agent.how})`}`;
}

function ledgerOf(root: string): string {
  const file = join(root, 'repository/.git/ledger');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  const counts = [...Map.groupBy(lines, (line) => line)].map(([line, all]) => `${line} ${all.length}`);
  return counts.sort().join(', ');
}

/** What is in the branch of the run, and what is left of its places. */
function remains(root: string, name: string): string {
  const repository = join(root, 'repository');
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: repository,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  const heads = git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
  const branch = `piton/${name}`;
  const files = heads.includes(branch)
    ? git('grep', '', branch, '--', '*.txt').replaceAll(`${branch}:`, '')
    : '';
  const places = join(repository, '.piton/worktrees', name);
  const left = existsSync(places) ? readdirSync(places).sort() : [];
  return [
    `branches ${heads.join(', ')}`,
    `places ${left.join(', ')}`,
    ...files.split('\n').map((line) => `file ${line}`),
  ]
    .filter((line) => line !== 'file ')
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
