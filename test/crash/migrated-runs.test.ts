/** Runs whose workflow has a newer version by now: killed while they are migrated, and those that an earlier version of Piton left. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadWorkflow, open } from '../../src/index.ts';
import { newProject, type Project } from '../cli/command-line.ts';
import { startPiton } from '../cli/live-command.ts';
import { withBuiltImports } from '../support/built.ts';
import { load } from '../support/interrupted/finish.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Gives another state each time that it is run: what was journalled counts. */
const module = (settings: string, migration: string): string => `
import { appendFileSync } from 'node:fs';
import { stateGraph } from 'piton';
export default stateGraph('flow', ${settings})
  .node('write', () => ({ text: 'old' }))
  .node('judge', (state) => { appendFileSync('ledger', JSON.stringify(state) + '\\n'); return {}; }, { approval: 'Good?' })
  .edge('write', 'judge')
  .edge('judge', 'end')${migration};
`;

const migration = `
  .migrate(2, { state: (old) => {
    appendFileSync('calls', 'called\\n');
    return { draft: old.text, id: Math.random() };
  } })`;

const linesOf = (project: Project, name: string): string[] =>
  readFileSync(join(project.folder, name), 'utf8').trim().split('\n');

const migratedIn = (project: Project) =>
  project.withStore(async (piton) =>
    (await Array.fromAsync((await piton.find('r')).events())).flatMap((event) =>
      event.type === 'drift.accepted' ? (event.data.migrated ?? []) : [],
    ),
  );

test.each(['before:drift.accepted#1', 'after:drift.accepted#1', 'before:gate.decided#1'])(
  'killed at %s: migrated exactly once, whatever a second try would give',
  async (point) => {
    const project = newProject();
    const write = (text: string): string =>
      project.write('.piton/workflows/flow.mjs', withBuiltImports(text));
    write(module('{ state: { text: "" } }', ''));
    expect(await project.binary(['run', 'flow', '--id', 'r'])).toMatchObject({ code: 3 });
    write(module('{ version: 2, state: { draft: "", id: 0 } }', migration));
    const args = point.includes('gate') ? ['approve', 'r', 'judge#1', '--accept-drift'] : ['resume', 'r'];
    const { signal } = await startPiton(project, args, { PITON_CRASH_AT: point }).ended;
    expect(signal).toBe('SIGKILL');

    await project.binary(['resume', 'r']);
    const approved = await project.binary(['approve', 'r', 'judge#1']);
    // A decision that had been sent is made by whoever goes on.
    expect([0, 4]).toContain(approved.code);
    const migrated = await migratedIn(project);
    expect(migrated).toMatchObject([{ scope: '', from: 1, to: 2, state: { draft: 'old' } }]);
    expect(linesOf(project, 'ledger').map((line) => JSON.parse(line) as unknown)).toEqual([
      migrated[0]!.state,
    ]);
    expect(linesOf(project, 'calls')).toHaveLength(point.startsWith('before') ? 2 : 1);
  },
);

test('a run that an earlier Piton left in the middle is migrated by a newer version of its workflow, and ends', async () => {
  const root = temporaryFolder();
  const name = 'graph-under-way';
  await load(name, root);
  const nodes = {
    first: { run: 'sh step first', next: 'second' },
    second: {
      run: 'sh step second',
      update: { rounds: '${{ state.rounds + 1 }}' },
      next: [{ if: 'state.rounds < 12', to: 'first' }, { to: 'end' }],
    },
  };
  const migrations = { 2: { state: { rounds: '${{ state.n + 10 }}', by: 'hand' } } };
  const state = { rounds: 0, by: '' };
  const flow = { name: 'graph', version: 2, migrations, state, start: 'first', graph: nodes };
  const file = join(root, 'graph.yaml');
  writeFileSync(file, JSON.stringify(flow));

  const store = `sqlite:${join(root, 'repository/.piton/piton.db')}`;
  await using piton = await open({ store, durability: 'process', graceMs: 300 });
  const run = await piton.resume(await loadWorkflow(file), name);
  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { rounds: 12, by: 'hand' } });
});
