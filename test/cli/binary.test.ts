/** Commands are tested inside of the tests' own process; here each is called once by the real command line. */
import { expect, test } from 'vitest';
import { commandTable } from '../../src/interfaces/cli/command-table.ts';
import { edits, projectInRepository } from '../support/git-project.ts';
import type { Project } from './command-line.ts';
import { played, writeFlow } from './played.ts';

type Row = readonly [code: number, begins: RegExp, ...args: string[]];

/** What each command is called with, and how it ends: its exit code, and how what it prints begins. */
const rows: Readonly<Record<string, Row>> = {
  init: [0, /^Everything is there already/],
  // Run by demo.test.ts, by the real command line too.
  demo: [0, /^Usage: piton demo/, '--help'],
  validate: [0, /^✓ flow/, 'flow'],
  graph: [0, /^flow\n●─ fix\n/, 'flow'],
  run: [0, /^Run done of flow: 1 task\./, 'flow', '--id', 'done'],
  resume: [3, /^Run first waits for a person\./, 'first'],
  attach: [0, /^Nobody drives it\.\n\nRun done of flow succeeded/, 'done'],
  pause: [0, /^Run first: nobody drives it/, 'first'],
  cancel: [0, /^Nobody drives the run: the decision is noted/, 'first'],
  status: [0, /^done +flow +✓ succeeded\n/, 'done'],
  list: [0, /^run +workflow +status/],
  logs: [0, /^fix │ ── scripted, attempt 1/, 'done'],
  search: [0, /^done \(flow\): fix, attempt 1/, 'made'],
  usage: [0, /^No agent has used anything/],
  history: [0, /^checkpoint +time[^\n]*\ndone@1 /, 'done'],
  show: [0, /^done@\d+ +flow +✓ succeeded\n/, 'done'],
  inbox: [0, /^publish +third \(gate\)/],
  approve: [0, /^Nobody drives the run: the decision is noted/, 'second', 'publish'],
  reject: [1, /^Nobody drives the run: the decision is noted/, 'third', 'publish'],
  retry: [1, /^\S+ +▸ process \d+ on \S+ drives the run now\n\S+ +↻ to be done again: test/, 'failed'],
  skip: [0, /^\S+ +▸ process \d+ on \S+ drives the run now\n\S+ +↻ taken up again/, 'failed', 'test'],
  tell: [4, /^error: fix has succeeded: nobody would hear it/, 'done', 'fix', 'Faster.'],
  open: [0, /^cd \S+ && .* --talk /, 'done', 'fix', '--print'],
  resolve: [4, /^error: /, 'fix'],
  diff: [0, /^ b\.txt \| 1 \+\n/, 'done'],
  merge: [0, /^What run done made is in main/, 'done'],
  pr: [1, /^error: The repository has no remote origin/, 'done'],
  workspace: [0, /^RUN +TASK +KIND/, 'list'],
  verify: [0, /^done +✓ sound/, 'done'],
  drift: [0, /^Run done, compared with \S+flow\.yaml\nNo task differs/, 'done'],
  agents: [0, /^. claude \(Claude Code\)/],
  doctor: [0, /^✓ ok +Node +\d/],
  trust: [0, /^Nothing is trusted/, 'list'],
  service: [0, /^Not installed/, 'status'],
  completion: [0, /^# bash completion of piton/, 'bash'],
  __complete: [0, /^\w+\n/, 'run'],
};

/** Runs that wait for a person, and one that has failed. */
async function prepared(): Promise<Project> {
  const project = projectInRepository();
  writeFlow(project, { fix: played([edits('b.txt', 'made\n')]) });
  const gate = { name: 'gate', tasks: { publish: { approval: 'Publish it?', run: 'echo published' } } };
  project.write('.piton/workflows/gate.yaml', JSON.stringify(gate));
  project.write(
    '.piton/workflows/bad.yaml',
    JSON.stringify({ name: 'bad', tasks: { test: { run: 'exit 1' } } }),
  );
  for (const id of ['first', 'second', 'third'])
    expect((await project.piton(['run', 'gate', '--id', id])).code).toBe(3);
  expect((await project.piton(['run', 'bad', '--id', 'failed'])).code).toBe(1);
  return project;
}

test('every command does its work when it is called by the real command line', async () => {
  const project = await prepared();
  const env = { HOME: project.folder, XDG_CONFIG_HOME: project.folder };
  const surprises: object[] = [];
  for (const { name } of commandTable) {
    const row = rows[name];
    if (row === undefined) throw new Error(`The command ${name} has no row here.`);
    const [expected, begins, ...args] = row;
    const { code, stdout, stderr } = await project.binary([name, ...args], { env });
    if (code !== expected || !begins.test(stderr + stdout)) surprises.push({ name, code, stdout, stderr });
  }
  expect(surprises).toEqual([]);
});
