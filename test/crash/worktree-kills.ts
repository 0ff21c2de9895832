/** Agents in worktrees whose driver is killed right before effects on git. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { open } from '../../src/index.ts';
import { twoAtATime, killAt, pointsPassed, type Which } from '../support/kill.ts';
import { unlike } from '../support/promises.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

const played = (steps: readonly object[], more: object = {}): object => ({
  agent: 'scripted',
  permissions: 'full',
  prompt: `Do it.\n\`\`\`part\n${JSON.stringify({ steps })}\n\`\`\`\n`,
  ...more,
});

/** A repository in which an agent makes commits of its own, and another goes on from there. */
function makeRepository(folder: string): void {
  mkdirSync(folder);
  execFileSync('git', ['init', '-q', '-b', 'main', folder]);
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  appendFileSync(join(folder, '.git/info/exclude'), 'piton.db*\nspool\nworktrees\nflow.yaml\n*.log\n');
  const tasks = {
    one: played([
      { run: 'echo one > one.txt; git add -A; git commit -qm own; echo two >> one.txt' },
      { answer: 'o' },
    ]),
    two: played([{ run: 'cat one.txt > both.txt; echo kept > ignored.log' }, { answer: 't' }], {
      needs: ['one'],
    }),
  };
  writeFileSync(join(folder, 'flow.yaml'), JSON.stringify({ name: 'flow', tasks }));
}

function drive(folders: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', {
    args: [JSON.stringify({ folders })],
    env: {
      GIT_AUTHOR_NAME: 'T',
      GIT_AUTHOR_EMAIL: 't@t',
      GIT_COMMITTER_NAME: 'T',
      GIT_COMMITTER_EMAIL: 't@t',
      ...env,
    },
  });
}

/** What is left in the end, by content: times differ from one run to the next. */
function remainsOf(folder: string): unknown {
  return {
    tree: git(folder, 'rev-parse', 'piton/run^{tree}'),
    merges: git(folder, 'log', '--merges', '--format=%s', 'piton/run').split('\n').sort(),
    branches: git(folder, 'for-each-ref', '--format=%(refname)', 'refs/heads').split('\n'),
    worktrees: git(folder, 'worktree', 'list', '--porcelain').split('\n\n').length,
    folders: readdirSync(join(folder, 'worktrees')),
    checkout: git(folder, 'status', '--porcelain'),
    head: git(folder, 'symbolic-ref', 'HEAD'),
    isSound: git(folder, 'fsck', '--no-dangling', '--no-progress'),
  };
}

async function outputsOf(folder: string): Promise<unknown> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  // Killed after its end, a run is not driven again: whoever looks after places finishes for it.
  await piton.reconcile({ folder });
  return (await (await piton.find('run')).result()).outputs;
}

/** Where `npm test` kills: they are always passed as often. How often work is saved meanwhile depends on how long it takes. */
const somePoints: ReadonlySet<string> = new Set([
  'before:git.worktree-registered',
  'before:git.index-settled',
  'before:git.worktree-set-aside',
]);

/** Killing at each of them takes long: of each kind of effect the last. */
function lastOfEach(places: readonly string[]): [string, string][] {
  const effects = places.filter((place) => place.startsWith('before:git.'));
  return [...new Map(effects.map((place) => [place.replace(/#\d+$/, ''), place]))];
}

/** Trees, branches and the checkout that are not as if nothing had happened. */
export async function harmDoneToRepository(which: Which): Promise<string[]> {
  const root = temporaryFolder();
  const untouched = join(root, 'untouched');
  makeRepository(untouched);
  const passed = await pointsPassed((env) => drive([untouched], env));
  const expected = [{ one: 'o', two: 't' }, remainsOf(untouched)];
  const places = lastOfEach(passed.flat()).flatMap(([kind, place]) =>
    somePoints.has(kind) === (which === 'these') ? [place] : [],
  );
  expect(places.length).toBeGreaterThan(which === 'these' ? 2 : 5);
  const folderOf = (place: string): string => join(root, place.replaceAll(/[^a-z0-9]/g, '-'));
  const killed: string[] = [];
  await twoAtATime(places, async (place) => {
    makeRepository(folderOf(place));
    const kill = killAt(place, (env) => drive([folderOf(place)], env)).then(() => killed.push(place));
    await (which === 'these' ? kill : kill.catch(() => undefined));
  });
  await drive(killed.map(folderOf)).ended();
  expect(killed.length).toBeGreaterThan(places.length * 0.7);
  const found = await Array.fromAsync(places, async (place) => {
    const outputs = await outputsOf(folderOf(place));
    return unlike(expected, [outputs, remainsOf(folderOf(place))], place);
  });
  return found.flat();
}

/** Two agents at the same time at the same line; the second is asked to make it fit. */
function makeConflict(folder: string): void {
  makeRepository(folder);
  const until = (condition: string): object => ({
    run: `timeout 60 sh -c 'until ${condition}; do sleep 0.1; done'`,
  });
  const isThere = (name: string): string => `test -e "${join(folder, name)}"`;
  const one = { run: `touch "${folder}/one.log"; echo 1 > a.txt; echo of one > other.txt` };
  const two = { run: `touch "${folder}/two.log"; echo two > a.txt` };
  const merged = `git -C "${folder}" cat-file -e piton/run:other.txt`;
  const turns = [
    [two, until(merged), { answer: 't' }],
    [{ run: 'echo both > a.txt' }, { answer: 't' }],
  ];
  const prompt = `Do it.\n\`\`\`part\n${JSON.stringify({ turns })}\n\`\`\`\n`;
  const tasks = {
    one: played([one, until(isThere('two.log')), { answer: 'o' }]),
    two: played([], { prompt, 'on-conflict': 'agent' }),
  };
  writeFileSync(join(folder, 'flow.yaml'), JSON.stringify({ name: 'flow', tasks }));
}

/** What came of it when the driver was killed while a conflict was left for the agent. */
export async function solvedAfterKill(place: string): Promise<unknown> {
  const folder = join(temporaryFolder(), 'repository');
  makeConflict(folder);
  await killAt(place, (env) => drive([folder], env));
  await drive([folder]).ended();
  return {
    outputs: await outputsOf(folder),
    solved: git(folder, 'show', 'piton/run:a.txt'),
    others: git(folder, 'show', 'piton/run:other.txt'),
  };
}
