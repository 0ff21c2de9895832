import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';

const traced = `
name: traced
tasks:
  first: { run: echo first >> ledger }
  second: { needs: first, run: echo second >> ledger }
  third: { needs: second, run: echo third >> ledger }
`;

/** A project whose run was killed after its second task, and whose journal was changed afterwards. */
async function damagedProject(policy: string): Promise<Project> {
  const project = newProject();
  const { piton, write, folder } = project;
  write('.piton/config.yaml', policy);
  write('traced.yaml', traced);
  await piton(['run', 'traced.yaml', '--id', 'r1'], { env: { PITON_CRASH_AT: 'after:task.succeeded#2' } });
  using database = new DatabaseSync(join(folder, '.piton/piton.db'));
  const changed = database.prepare(
    `UPDATE commits SET body = replace(body, '"task":"second"', '"task":"secand"') WHERE seq > 2`,
  );
  expect(Number(changed.run().changes)).toBeGreaterThan(0);
  return project;
}

function ledgerOf({ folder }: Project): string[] {
  const file = join(folder, 'ledger');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

describe('a run whose journal was damaged while nobody looked', () => {
  test('is refused by default, by resume and by resume --all', async () => {
    const project = await damagedProject('durability: process\n');
    for (const args of [
      ['resume', 'r1'],
      ['resume', '--all'],
    ]) {
      const { code, stderr } = await project.piton(args);
      expect([code, stderr]).toEqual([4, expect.stringContaining('RUN_DAMAGED')]);
    }
    expect(ledgerOf(project)).toEqual(['first', 'second']);
  });

  test.for([
    ['resume', ['resume', 'r1']],
    ['resume --all', ['resume', '--all']],
  ] as const)(
    'is taken back by %s where the policy says so: nothing runs twice, and it is told',
    async ([, args]) => {
      const project = await damagedProject('durability: process\non-damage: repair\n');
      const { stderr, stdout } = await project.piton(args);
      expect(stderr).toMatch(/! Run r1 was damaged: .* It was taken back to r1@\d+ \(on-damage: repair\)/);
      expect(`${stdout}${stderr}`).not.toContain('RUN_DAMAGED');
      expect(ledgerOf(project).filter((line) => line !== 'third')).toEqual(['first', 'second']);
      expect((await project.piton(['status', 'r1'])).stdout).toMatch(
        /! repaired .*: its journal was damaged/,
      );
      expect(await project.json(['status', 'r1'])).toMatchObject({
        repaired: { lostTo: expect.any(Number) },
      });
      expect(await project.json(['verify', 'r1'])).toMatchObject({ ok: true });
    },
  );

  test('is refused for a policy that does not exist', async () => {
    const { piton, write } = newProject();
    write('.piton/config.yaml', 'on-damage: repiar\n');
    expect(await piton(['list'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean repair?'),
    });
  });
});
