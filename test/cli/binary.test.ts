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
  fork: [
    0,
    /^Run forked shares the past of done up to done@\d+\. It is paused\./,
    'done',
    '--id',
    'forked',
    '--no-drive',
  ],
  attach: [0, /^Nobody drives it\.\n\nRun done of flow succeeded/, 'done'],
  pause: [0, /^Run first: nobody drives it/, 'first'],
  cancel: [0, /^Nobody drives the run: it goes on here/, 'first'],
  status: [0, /^done +flow +✓ succeeded\n/, 'done'],
  list: [0, /^run +workflow +status/],
  logs: [0, /^fix │ ── scripted, attempt 1/, 'done'],
  search: [0, /^(forked|done) \(flow\): fix, attempt 1/, 'made'],
  usage: [0, /^No agent has used anything/],
  history: [0, /^checkpoint +time[^\n]*\ndone@1 /, 'done'],
  show: [0, /^done@\d+ +flow +✓ succeeded\n/, 'done'],
  inbox: [0, /^publish +third \(gate\)/],
  approve: [0, /^Nobody drives the run: it goes on here/, 'second', 'publish'],
  answer: [0, /^Nobody drives the run: it goes on here/, 'asked', 'port', '8080'],
  reject: [1, /^Nobody drives the run: it goes on here/, 'third', 'publish'],
  retry: [1, /^\S+ +↻ to be done again: test/, 'failed'],
  done: [0, /^\S+ +↻ taken up again: test/, 'bad', 'test', '-m', 'seen'],
  skip: [0, /^\S+ +↻ taken up again/, 'failed', 'test'],
  set: [0, /^Run done: name is Ship it; label team is web\.\n/, 'done', 'name=Ship it', 'label.team=web'],
  tell: [4, /^error: fix has succeeded: nobody would hear it/, 'done', 'fix', 'Faster.'],
  open: [0, /^cd \S+ && .* --talk /, 'done', 'fix', '--print'],
  resolve: [4, /^error: fix has no conflict/, 'done', 'fix'],
  diff: [0, /^ b\.txt \| 1 \+\n/, 'done'],
  merge: [0, /^What run done made is in main/, 'done'],
  pr: [1, /^error: The repository has no remotes/, 'done'],
  workspace: [0, /^RUN +TASK +KIND/, 'list'],
  checkpoint: [0, /^done@\d+ is called checked\./, 'done', 'checked'],
  store: [0, /^\S/, 'info'],
  verify: [0, /^done +✓ sound/, 'done'],
  export: [0, /^Exported done up to done@\d+/, 'done'],
  import: [0, /^Run done is here already/, 'done.piton'],
  drift: [0, /^Run done, compared with \S+flow\.yaml\nNothing differs/, 'done'],
  agents: [0, /^. claude +/],
  doctor: [0, /^✓ ok +Node +\d/],
  // What other tests trust at the same time is listed too.
  trust: [0, /^(Nothing is trusted|\/\S+ +\d{4}-)/, 'list'],
  config: [0, /^store +sqlite:\.piton\/piton\.db +default/, 'show'],
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
  const ask = { name: 'ask', tasks: { port: { ask: { question: 'Which port?', type: 'integer' } } } };
  project.write('.piton/workflows/ask.yaml', JSON.stringify(ask));
  expect((await project.piton(['run', 'ask', '--id', 'asked'])).code).toBe(3);
  for (const id of ['first', 'second', 'third'])
    expect((await project.piton(['run', 'gate', '--id', id])).code).toBe(3);
  for (const id of ['failed', 'bad']) expect((await project.piton(['run', 'bad', '--id', id])).code).toBe(1);
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
