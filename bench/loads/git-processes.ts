import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadWorkflow, open, type Run, type RunEvent } from '../../src/index.ts';
import { countGits, type GitCounter } from '../git-counter.ts';
import { atMost, type Row } from '../row.ts';
import { inFolder } from '../settings.ts';

/** The git processes that are started for one task of an agent in a worktree, as `piton run` does it. */
export async function gitProcesses(): Promise<Row[]> {
  const phases = await inFolder(gitsOfOneTask);
  const total = [...phases.values()].reduce((sum, gits) => sum + gits.length, 0);
  const parts = [...phases].map(([name, gits]) => `${name} ${gits.length}`).join(', ');
  process.stderr.write(`  ${parts}\n`);
  const load = 'git processes started for one task in a worktree: edit, check, merge, clean';
  const target = atMost(total, 20, 'processes');
  return [{ load, durability: 'process', unit: 'processes', ours: total, target }];
}

/** By phase, their arguments. */
export async function gitsOfOneTask(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const repository = makeRepository(folder);
  const counter = countGits(folder);
  const { environment } = counter;
  const store = `sqlite:${join(folder, 'piton.db')}`;
  const piton = await open({ store, durability: 'process', environment });
  try {
    counter.phase('start');
    const definition = await loadWorkflow(writeFlow(folder));
    await piton.uncommittedFiles(definition, repository);
    const run = await piton.start(definition, { id: 'run', origin: { directory: repository } });
    await followed(run, counter);
    await run.result();
  } finally {
    await piton.close();
  }
  return counter.read();
}

function makeRepository(folder: string): string {
  const root = join(folder, 'repository');
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'one\n');
  const settings = { 'user.name': 'Ada', 'user.email': 'ada@example.org' };
  const plain = (...args: string[]): unknown => execFileSync('git', args, { cwd: root });
  plain('init', '--quiet', '--initial-branch=main');
  for (const [name, value] of Object.entries(settings)) plain('config', name, value);
  plain('add', '--all');
  plain('commit', '--quiet', '--message', 'first');
  return root;
}

function writeFlow(folder: string): string {
  const turns = [[{ edit: { file: 'b.txt', text: 'two\n' } }, { answer: 'done' }]];
  const prompt = `Do it.\n\`\`\`part\n${JSON.stringify({ turns })}\n\`\`\`\n`;
  const task = { agent: 'scripted', permissions: 'full', prompt, check: { run: 'test -f b.txt' } };
  const file = join(folder, 'flow.yaml');
  writeFileSync(file, JSON.stringify({ name: 'flow', tasks: { build: task } }));
  return file;
}

/** What is told is durable, and what follows from it begins at about that time: the phases are near the truth, their sum is it. */
async function followed(run: Run, counter: GitCounter): Promise<void> {
  for await (const event of run.events()) {
    const phase = phaseAfter(event);
    if (phase !== undefined) counter.phase(phase);
  }
}

const phases: Readonly<Record<string, string>> = { check: 'check', integrate: 'merge' };

function phaseAfter(event: RunEvent): string | undefined {
  if (event.type === 'attempt.started') return phases[String(event.data.kind)] ?? 'place';
  if (event.type === 'attempt.spawned') return undefined;
  if (event.type === 'session.opened') return 'edit';
  return event.type === 'task.succeeded' ? 'clean' : undefined;
}
