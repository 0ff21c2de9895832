/** Drivers that have accepted another definition are killed before and after that is written, and when it is first acted upon. */
import { expect, test } from 'vitest';
import { newProject, type Project } from '../cli/command-line.ts';
import { ledgerOf, startPiton } from '../cli/live-command.ts';

const first = { run: 'echo first >> ledger' };
const gate = { needs: ['first'], approval: 'Sure?', run: 'echo gate >> ledger' };

function write(project: Project, last: string): void {
  const tasks = { first, gate, last: { needs: ['gate'], run: `echo ${last} >> ledger` } };
  project.write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks }));
}

const points = [
  'before:drift.accepted#1',
  'after:drift.accepted#1',
  'after:gate.decided#1',
  'before:task.succeeded#1',
  'after:task.succeeded#1',
];

test.each(points)(
  'killed at %s: it was accepted with all that follows from it, or not at all',
  async (point) => {
    const project = newProject();
    write(project, 'old');
    expect(await project.piton(['run', 'flow', '--id', 'r'])).toMatchObject({ code: 3 });
    write(project, 'new');
    const approving = ['approve', 'r', 'gate', '--accept-drift'];
    const { signal } = await startPiton(project, approving, { PITON_CRASH_AT: point }).ended;
    expect(signal).toBe('SIGKILL');

    const { drift } = (await project.json(['drift', 'r'])) as { drift: readonly unknown[] };
    const isAccepted = drift.length === 0;
    expect(isAccepted).toBe(point !== 'before:drift.accepted#1');
    // The decision is in the inbox, or in the journal; the choice was only made with the commit.
    const flags = isAccepted ? [] : ['--accept-drift'];
    expect(await project.piton(['resume', 'r', '--dry-run'])).toMatchObject({ code: isAccepted ? 0 : 4 });
    expect(await project.piton(['resume', 'r', ...flags])).toMatchObject({ code: 0 });
    expect(ledgerOf(project)).toEqual(['first', 'gate', 'new']);
    const accepted = await project.withStore(async (piton) =>
      (await Array.fromAsync((await piton.find('r')).events())).filter(
        ({ type }) => type === 'drift.accepted',
      ),
    );
    expect(accepted).toHaveLength(1);
  },
);
