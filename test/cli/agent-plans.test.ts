import { expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';

/** A workflow with everything that bounds agents. */
function withBounds(): Project {
  const project = newProject();
  project.write(
    '.piton/workflows/mend.yaml',
    `name: mend
inputs: { part: { type: string } }
budget: { usd: 20, per-day: { usd: 50, tokens: 2000000 } }
usage-limits: { wait: 6h, quiet-hours: "22:00-07:30" }
tasks:
  look: { run: ls }
  fix:
    needs: look
    agent: [claude, command]
    permissions: full
    args: { command: [my-agent, "--on the way"] }
    prompt: Mend it.
    budget: { usd: 2 }
    retry: { attempts: 3 }
    check: { run: 'npm test -- \${{ inputs.part }}', revise: 2 }
  release:
    needs: fix
    agent: claude
    prompt: Release it.
    check: git push
`,
  );
  return project;
}

test('validate tells the worst case of agent turns, what bounds the agents, and checks that cannot be taken back', async () => {
  const { piton, json } = withBounds();
  const { code, stdout, stderr } = await piton(['validate', 'mend']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('3 tasks, at most 5 attempts, at most 11 turns of agents');
  expect(stdout).toContain('agents may use $20.00 in one run\n');
  expect(stdout).toContain('agents may use $50.00 and 2M tokens on one day, in all runs together\n');
  expect(stdout).toContain('usage limits are waited for 6h at most');
  expect(stdout).toContain('after a usage limit nothing starts from 22:00 to 07:30\n');
  expect(stdout).toMatch(/cannot be taken back: the check of release: .*it is held for a person/);
  expect(await json(['validate', 'mend'])).toMatchObject({
    workflows: [{ tasks: 3, attempts: 5, agentTurns: 11, irreversible: [{ task: 'the check of release' }] }],
  });
});

test('a dry run shows the check, how often it is revised, budgets, and the arguments of each agent', async () => {
  const { piton, json, write } = withBounds();
  write('.piton/config.yaml', 'budget: { per-day: { tokens: 900 } }\n');
  const { code, stdout, stderr } = await piton(['run', 'mend', '-i', 'part=roof', '--dry-run']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('  agents may use $20.00 in one run\n');
  expect(stdout).toContain(
    '  agents may use 900 tokens on one day, in all runs together (.piton/config.yaml)\n',
  );
  expect(stdout).toContain('agent: claude, or else command · at most $2.00\n');
  expect(stdout).toContain("command arguments: my-agent '--on the way'\n");
  expect(stdout).toMatch(/check, revised at most 2 times if that fails:\n {8}npm test -- .*\n {6}\w+=roof\n/);
  expect(stdout).toMatch(/check, revised at most once if that fails:\n {8}git push\n/);
  expect(await json(['run', 'mend', '-i', 'part=roof', '--dry-run'])).toMatchObject({
    bounds: expect.arrayContaining(['agents may use $20.00 in one run']),
    levels: [[{ task: 'look' }], [{ check: { revise: 2 } }], [{ check: { work: 'git push', revise: 1 } }]],
  });
});
