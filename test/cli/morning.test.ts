/** The morning after: what Piton prints, typed exactly as it is printed, brings each run to its end, and nothing finished runs again. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary } from '../support/built.ts';
import type { Answer, Project } from './command-line.ts';
import { newProject } from './command-line.ts';
import { edits, git, inRepository } from './delivered.ts';
import { played, writeFlow } from './played.ts';

/** `Next:` and the `or:` lines after it. */
function offered({ stdout }: Answer): string[] {
  return [...stdout.matchAll(/^(?:Next| {2}or): (.*)$/gm)].map(([, command]) => command!);
}

/** Types a line as it is printed. */
function type({ piton }: Project, line: string | undefined): Promise<Answer> {
  const [program, ...args] = (line?.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) =>
    word.replaceAll("'", ''),
  );
  expect(program).toBe('piton');
  return piton(args);
}

/** Types the first line that begins so. */
function typeOffered(project: Project, answer: Answer, beginning: string): Promise<Answer> {
  return type(
    project,
    offered(answer).find((line) => line.startsWith(beginning)),
  );
}

const run = (project: Project): Promise<Answer> => project.piton(['run', 'flow', '--id', 'r']);
const notes = (project: Project, word: string): string => `echo ${word} >> '${join(project.folder, 'ran')}'`;

function ranIn({ folder }: Project): string[] {
  const file = join(folder, 'ran');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

test('killed at night: show tells the same as status and list, and its Next goes on', async () => {
  const project = newProject();
  const { piton } = project;
  writeFlow(project, {
    a: { run: notes(project, 'a') },
    b: { needs: ['a'], run: notes(project, 'b') },
  });
  await piton(['run', 'flow', '--id', 'r'], { env: { PITON_CRASH_AT: 'after:task.succeeded' } });
  for (const look of ['status', 'show', 'list', 'inbox']) {
    const answer = await piton([look]);
    expect([look, answer.stdout]).toEqual([look, expect.stringContaining('interrupted')]);
    expect([look, offered(answer)[0]]).toEqual([look, 'piton resume r']);
  }
  expect((await piton(['show', 'r@1'])).stdout).toContain('running');
  expect((await type(project, 'piton resume r')).code).toBe(0);
  expect(ranIn(project)).toEqual(['a', 'b']);
});

async function conflicting(): Promise<Project & { readonly place: string }> {
  const project = inRepository();
  writeFlow(project, {
    quick: played([edits('title.txt', 'quick\n')], { 'on-conflict': 'hold' }),
    slow: played([edits('title.txt', 'slow\n')], { needs: [], 'on-conflict': 'hold' }),
  });
  expect((await run(project)).code).toBe(3);
  const view = (await project.json(['status', 'r'])) as { tasks: Record<string, { status: string }> };
  const held = Object.keys(view.tasks).find((task) => view.tasks[task]!.status === 'held')!;
  return { ...project, place: join(project.folder, '.piton/worktrees/r', held) };
}

test('a conflict is resolved in its worktree, and what is printed there works when the worktree is gone', async () => {
  const { place, ...project } = await conflicting();
  const status = await project.piton(['status', 'r']);
  const resolving = await typeOffered(project, status, 'piton resolve');
  expect(offered(resolving)[0]).toBe(`cd ${place}`);
  writeFileSync(join(place, 'title.txt'), 'both\n');
  const inPlace = `cd '${place}' && "$0" "$@" resolve r ${place.split('/').at(-1)} --done && "$0" "$@" diff r`;
  const env = { ...process.env, PITON_DURABILITY: 'process' };
  const printed = execFileSync('sh', ['-c', inPlace, process.execPath, binary], { env, encoding: 'utf8' });
  expect(existsSync(place)).toBe(false);
  expect(printed).toContain('Next: piton diff r');
  expect(printed).toContain('title.txt | 1 +');
  expect(git(project.folder, 'show', 'piton/r:title.txt')).toBe('both');
});

test('a conflict that the agent left as it was is held, and not said to be checked', async () => {
  const project = inRepository();
  const check = { run: '! grep -q "<<<<" title.txt', revise: 0 };
  const wants = (text: string): object =>
    played([edits('title.txt', text), [{ answer: 'left' }]], { check, 'on-conflict': 'agent' });
  writeFlow(project, { one: wants('one\n'), two: wants('two\n') });
  expect((await run(project)).code).toBe(3);
  const status = await project.piton(['status', 'r']);
  expect(status.stdout).not.toContain('is checked');
  const [first] = offered(status);
  expect(first).toMatch(/^piton resolve r (?:one|two)$/);
  expect((await project.piton(['show', ...first!.split(' ').slice(2)])).stdout).not.toContain('now:');
});

test('a check that failed all its revisions: status leads to the reason and to a retry, which says what it is about', async () => {
  const project = inRepository();
  const builds = [{ run: notes(project, 'build') }, { answer: 'built' }];
  const isFine = `test -f '${join(project.folder, 'fine')}' || { echo 'FAIL login'; exit 1; }`;
  writeFlow(project, {
    build: played([builds], { check: { run: isFine, revise: 1 } }),
    after: { needs: ['build'], run: notes(project, 'after') },
  });
  expect((await run(project)).code).toBe(1);
  const shown = await typeOffered(project, await project.piton(['status', 'r']), 'piton show r build');
  expect(offered(shown)).toEqual(['piton logs r build', 'piton retry r build']);
  expect((await type(project, 'piton logs r build')).stdout).toContain('FAIL login');
  writeFileSync(join(project.folder, 'fine'), '');
  const retried = await type(project, 'piton retry r build');
  expect([retried.code, retried.stdout]).toEqual([
    0,
    expect.stringContaining('to be done again: build, after (asked for: build)'),
  ]);
  expect(ranIn(project)).toEqual(['build', 'build', 'build', 'after']);
});

test('a reason of several lines stays readable in one', async () => {
  const project = newProject();
  writeFlow(project, { t: { run: 'echo one test; echo "FAIL login"; exit 1' } });
  const ended = await run(project);
  const status = await project.piton(['status', 'r']);
  for (const { stdout } of [ended, status]) {
    expect(stdout.match(/exit code 1: one test · FAIL login/g)!.length).toBeGreaterThan(1);
    expect(stdout).not.toContain('one test FAIL login');
  }
});

test('a rejected gate: nothing points at logs that are empty, and history says once who decided', async () => {
  const project = newProject();
  writeFlow(project, {
    a: { run: notes(project, 'a') },
    b: { needs: ['a'], approval: 'Publish it?', run: notes(project, 'b') },
  });
  await run(project);
  const rejected = await project.piton(['reject', 'r', 'b', '-m', 'not today']);
  expect(offered(rejected)).toEqual(['piton show r b', 'piton retry r b']);
  const shown = await type(project, 'piton show r b');
  expect(shown.stdout).toMatch(/decided: rejected at .* by .*: not today/);
  expect(offered(shown)).toEqual(['piton retry r b']);
  const asked = await type(project, 'piton retry r b');
  expect((await typeOffered(project, asked, 'piton approve r b')).code).toBe(0);
  expect(ranIn(project)).toEqual(['a', 'b']);
  const { stdout } = await project.binary(['history', 'r']);
  const [decided] = stdout.match(/^.*b is rejected.*$/m)!;
  expect(decided.match(/ by /g)).toHaveLength(1);
});

test('a question that nobody answered: its retry asks again', async () => {
  const project = newProject();
  writeFlow(project, {
    where: { ask: { question: 'Where to?', choices: ['eu', 'us'], deadline: '1s' } },
    go: { needs: ['where'], run: notes(project, 'go') },
  });
  const ended = await run(project);
  expect(offered(ended)).toEqual(['piton show r where', 'piton retry r where']);
  expect(offered(await type(project, 'piton show r where'))).toEqual(['piton retry r where']);
  expect(offered(await project.piton(['show', 'r', 'go']))).toEqual(['piton status r']);
});

test('what may have taken effect: after its logs, the inbox is where to decide', async () => {
  const project = newProject();
  writeFlow(project, {
    deploy: { run: `${notes(project, 'deploy')}; kill -9 $PPID`, 'on-interrupt': 'ask' },
    tell: { needs: ['deploy'], run: notes(project, 'tell') },
  });
  expect((await run(project)).code).toBe(3);
  const status = await project.piton(['status', 'r']);
  expect(offered(status)).toEqual(['piton logs r deploy', 'piton inbox']);
  const { stdout } = await type(project, 'piton inbox');
  const [, done] = /^ *(piton done .*?) +#/m.exec(stdout)!;
  expect((await type(project, done)).code).toBe(0);
  expect(ranIn(project)).toEqual(['deploy', 'tell']);
});

test('a file that is broken while a run waits is not said to be the same', async () => {
  const project = newProject();
  writeFlow(project, { a: { approval: 'Go?', run: notes(project, 'a') } });
  await run(project);
  project.write('.piton/workflows/flow.yaml', 'tasks: [');
  const drift = await project.piton(['drift', 'r']);
  expect(drift.stdout).not.toContain('Nothing differs');
  expect(drift.stderr.match(/flow\.yaml/g)).toHaveLength(2);
  // It was decided for a definition that there is not: nothing is kept of it.
  const refused = await project.piton(['approve', 'r', 'a', '--accept-drift']);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('RUN_CHANGED')]);
  expect(refused.stderr).not.toContain('The decision is kept');
  const status = await typeOffered(project, drift, 'piton status r');
  expect((await typeOffered(project, status, 'piton approve r a')).code).toBe(0);
  expect(ranIn(project)).toEqual(['a']);
});

test('what is taken of a run later does not make it take longer', async () => {
  const project = inRepository();
  writeFlow(project, { fix: played([edits('b.txt', 'two\n')]) });
  const ended = await run(project);
  const took = async (): Promise<string> => /took .*/.exec((await project.piton(['status', 'r'])).stdout)![0];
  const before = await took();
  const merged = await typeOffered(project, ended, 'piton merge r');
  expect(merged.code).toBe(0);
  expect(await took()).toBe(before);
});
