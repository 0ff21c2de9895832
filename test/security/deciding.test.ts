import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandTable } from '../../src/interfaces/cli/command-table.ts';
import { newProject } from '../cli/command-line.ts';
import { binary } from '../support/built.ts';

const inside = { env: { PITON_MARK_a1b2c3: '1' } };

/** How each command is called that decides, delivers or trusts; what only reads has none. */
const calls: Readonly<Record<string, readonly (readonly string[])[]>> = {
  resume: [['4f2'], ['--all']],
  fork: [['4f2'], ['4f2@3', '--no-drive']],
  checkpoint: [['4f2', 'here']],
  pause: [['4f2']],
  cancel: [['4f2']],
  approve: [['4f2', 'ask']],
  reject: [['4f2', 'ask']],
  retry: [['4f2']],
  skip: [['4f2', 'ask']],
  done: [['4f2', 'ask', '-m', 'It did.']],
  answer: [['4f2', 'ask', 'yes']],
  tell: [['4f2', 'ask', 'Do it.']],
  open: [['4f2', 'ask']],
  resolve: [['4f2', 'ask', '--done']],
  set: [
    ['4f2', 'name=x'],
    ['4f2', 'max-parallel=9'],
  ],
  merge: [['4f2']],
  pr: [['4f2']],
  workspace: [
    ['clean'],
    ['discard', '4f2', 'ask'],
    ['adopt', '4f2', 'ask'],
    ['restore', '4f2', 'ask'],
    ['recreate', '4f2', 'ask'],
    ['reconcile'],
  ],
  store: [['backup'], ['restore', '--yes'], ['prune', '--keep', '1']],
  import: [['4f2.piton']],
  verify: [['--repair']],
  trust: [[], ['--yes'], ['revoke']],
  service: [['install'], ['uninstall']],
};

describe('inside of an attempt', () => {
  test('nothing is decided, delivered or trusted', async () => {
    const { piton } = newProject();
    for (const [name, ways] of Object.entries(calls)) {
      for (const args of ways) {
        const { code, stderr } = await piton([name, ...args], inside);
        expect([name, args, code, stderr]).toEqual([
          name,
          args,
          4,
          expect.stringContaining('INSIDE_ATTEMPT'),
        ]);
      }
    }
  });

  test('all else only reads, or runs what has no more power than the attempt', () => {
    const others = commandTable.filter(({ name }) => !Object.hasOwn(calls, name));
    const powers = new Map(
      others.map(({ name, power }) => [
        name,
        typeof power === 'string' ? power : power({ args: [], options: {} }),
      ]),
    );
    expect([...powers].filter(([, power]) => power !== 'reads')).toEqual([['run', 'runs']]);
  });

  test('a task cannot approve its own gate, by whatever way it calls', async () => {
    const { folder, write, binary: call, json } = newProject();
    const piton = `"${process.execPath}" "${binary}"`;
    const bare = `env -i PATH="$PATH" HOME="$HOME" PITON_TRUST=1`;
    write(
      'cheat.sh',
      `${piton} approve own ask --no-drive; echo $? >> codes
${bare} ${piton} approve own ask --no-drive; echo $? >> codes
${bare} sh -c '${piton} approve own ask --no-drive; true'; ${bare} setsid -w ${piton} approve own ask --no-drive; echo $? >> codes
unset "PITON_MARK_$PITON_ATTEMPT_ID"; PITON_TRUST=1 ${piton} merge own; echo $? >> codes
`,
    );
    write(
      '.piton/workflows/own.yaml',
      'name: own\ntasks:\n  ask: { approval: "May I?", run: echo done }\n  cheat: { run: sh cheat.sh }\n',
    );
    expect((await call(['run', 'own', '--id', 'own'])).code).toBe(3);
    expect(readFileSync(join(folder, 'codes'), 'utf8')).toBe('4\n4\n4\n4\n');
    expect(await json(['show', 'own'])).toMatchObject({ tasks: { ask: { status: 'held' } } });
  });
});

const bwrap = '/usr/bin/bwrap';
const hasSandbox = process.platform === 'linux' && existsSync(bwrap);

test.runIf(hasSandbox)('in a sandbox, who has left its parents behind is inside all the same', async () => {
  const { folder, write, binary: call, json } = newProject();
  // What is built for tests lies where no contained process sees it.
  const piton = join(import.meta.dirname, '../../bin/piton.js');
  const approve = `"${process.execPath}" "${piton}" approve own ask --no-drive`;
  const bare = `env -i PATH="$PATH" HOME="$HOME" PITON_TRUST=1`;
  write('cheat.sh', `(until [ -e left ]; do sleep 0.05; done; ${approve}; echo $? > code) 2> said &\n`);
  write(
    '.piton/workflows/own.yaml',
    `name: own
tasks:
  ask: { approval: "May I?", run: echo done }
  cheat:
    run: '${bare} setsid sh cheat.sh; touch left; until [ -e code ]; do sleep 0.05; done'
    sandbox: required
`,
  );
  const env = { PITON_BWRAP: bwrap };
  expect((await call(['run', 'own', '--id', 'own'], { env })).code).toBe(3);
  expect(readFileSync(join(folder, 'said'), 'utf8')).toContain('INSIDE_ATTEMPT');
  expect(await json(['show', 'own'])).toMatchObject({ tasks: { ask: { status: 'held' } } });
});

describe('whoever decides', () => {
  test('stands in the journal, and is shown', async () => {
    const { write, binary: call, piton, json } = newProject();
    write('.piton/workflows/own.yaml', 'name: own\ntasks: { ask: { approval: "May I?", run: echo done } }\n');
    await piton(['run', 'own', '--id', 'own']);
    expect((await call(['approve', 'own', 'ask'])).code).toBe(0);
    const by = { user: userInfo().username, host: expect.any(String), pid: expect.any(Number) };
    expect(await json(['show', 'own', 'ask'])).toMatchObject({ decisions: [{ decision: 'approved', by }] });
    const who = `${by.user}@`;
    expect((await piton(['show', 'own', 'ask'])).stdout).toMatch(
      new RegExp(`decided: approved at .* by ${who}`),
    );
    expect((await piton(['history', 'own'])).stdout).toMatch(
      new RegExp(`command decided: approve, by ${who}`),
    );
  });
});
