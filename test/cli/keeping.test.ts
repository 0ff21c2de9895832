import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { workflow } from '../../src/index.ts';
import { launchdAgent, serviceFor, systemdUnit } from '../../src/interfaces/cli/service/unit.ts';
import { eventually } from '../support/eventually.ts';
import { binary } from '../support/built.ts';
import { newProject } from './command-line.ts';

test('doctor looks at everything, and each line is ok, warn or bad', async () => {
  const { json, piton } = newProject();
  const { ok, checks } = (await json(['doctor'])) as {
    ok: boolean;
    checks: { name: string; level: string }[];
  };
  expect(ok).toBe(true);
  expect(checks.map(({ name }) => name)).toEqual([
    'Node',
    'SQLite',
    'sh',
    'git',
    'folder',
    'room',
    'file system',
    'sandbox',
    'store',
  ]);
  const withoutGit = await piton(['doctor'], { env: { PATH: '/nonexistent' } });
  expect(withoutGit).toMatchObject({ code: 0, stdout: expect.stringMatching(/! warn +git +not found/) });
});

test('doctor tells of a store that is none, and goes on looking at the rest', async () => {
  const { piton, write } = newProject();
  write('.piton/piton.db', 'this is no database, and it is longer than a header would be'.repeat(20));
  const { code, stdout } = await piton(['doctor']);
  expect(code).toBe(4);
  expect(stdout).toMatch(/✗ bad +store/);
  expect(stdout).toMatch(/✓ ok +sh/);
});

test('doctor finds processes and folders that no run answers for any more', async () => {
  const { json, write, withStore, folder } = newProject();
  const file = write(
    'nap.yaml',
    'name: nap\ntasks: { quick: { run: echo }, nap: { needs: quick, run: exec sleep 100 } }\n',
  );
  const driver = spawn(process.execPath, [binary, 'run', file], { cwd: folder, stdio: 'ignore' });
  const napping = (): Promise<number | undefined> =>
    withStore(async (store) => (await store.keptAttempts()).find(({ pid }) => pid !== undefined)?.pid);
  const levels = async (): Promise<Record<string, string>> => {
    const { checks } = (await json(['doctor'])) as {
      checks: { name: string; level: string; text: string }[];
    };
    return Object.fromEntries(checks.map(({ name, level, text }) => [name, `${level}: ${text}`]));
  };
  let nap: number | undefined;
  await eventually('it naps', async () => {
    const { stdout } = spawnSync(process.execPath, [binary, 'status', '--json'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout.includes('"status": "succeeded"') && (nap = await napping()) !== undefined;
  });
  onTestFinished(() => void process.kill(-nap!, 'SIGKILL'));
  driver.kill('SIGKILL');
  await once(driver, 'exit');
  expect(await levels()).toMatchObject({
    'interrupted runs': expect.stringMatching(/^warn/),
    processes: expect.stringMatching(/^ok/),
    spool: expect.stringMatching(/^ok/),
  });
  const database = new DatabaseSync(join(folder, '.piton/piton.db'));
  database.exec(
    'PRAGMA foreign_keys = OFF; DELETE FROM commits; DELETE FROM runs; DELETE FROM blob_refs; DELETE FROM blobs',
  );
  database.close();
  expect(await levels()).toMatchObject({
    store: expect.stringMatching(/^bad: \S+: the store does not have it, but it was at commit \d+/),
  });
  // As after it was pruned.
  rmSync(join(folder, '.piton/spool/.heads'), { recursive: true });
  expect(await levels()).toMatchObject({
    processes: expect.stringMatching(new RegExp(`^warn: left of runs that have ended: ${nap} `)),
    spool: expect.stringMatching(/^warn: 1 folder of runs that are gone/),
  });
});

describe('the service', () => {
  test('is installed, asked for and removed through the service manager of the user', async () => {
    const { piton, write, folder } = newProject();
    const calls = join(folder, 'calls');
    const fake = write('bin/systemctl', `#!/bin/sh\necho "$*" >> ${calls}\necho enabled\n`);
    chmodSync(fake, 0o755);
    const env = {
      XDG_CONFIG_HOME: join(folder, 'config'),
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    };
    const { name } = serviceFor(folder, {});
    const unit = join(folder, 'config/systemd/user', `${name}.service`);
    const printed = await piton(['service', 'install', '--print'], { env });
    expect(existsSync(unit)).toBe(false);
    expect(await piton(['service', 'install'], { env })).toMatchObject({ code: 0 });
    expect(readFileSync(unit, 'utf8')).toBe(printed.stdout);
    expect(printed.stdout).toContain(`"--root" "${folder}" "resume" "--all"`);
    expect(printed.stdout).toContain('KillMode=process\nSuccessExitStatus=3\n');
    expect((await piton(['service', 'status'], { env })).stdout).toContain('enabled');
    expect(await piton(['service', 'uninstall'], { env })).toMatchObject({ code: 0 });
    expect(existsSync(unit)).toBe(false);
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual([
      '--user daemon-reload',
      `--user enable ${basename(unit)}`,
      `--user is-enabled ${basename(unit)}`,
      `--user disable ${basename(unit)}`,
    ]);
    expect(await piton(['service', 'instal'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean install?'),
    });
  });

  test('keeps paths whole that hold what service managers take for more', () => {
    const service = {
      ...serviceFor(`/a b/100%/"q"/$HOME`, { PATH: '/bin:/x y', XDG_STATE_HOME: '/my state' }),
      command: ['/no de', `/a "b"/100%/$HOME`],
    };
    expect(systemdUnit(service)).toContain(String.raw`ExecStart="/no de" "/a \"b\"/100%%/$$HOME"`);
    expect(systemdUnit(service)).toContain('WorkingDirectory=/a b/100%%/');
    // Without it, what is trusted would be looked for elsewhere.
    expect(systemdUnit(service)).toContain('Environment="XDG_STATE_HOME=/my state"\n');
    expect(launchdAgent({ ...service, root: '/a<b>&c' })).toContain('<string>/a&lt;b&gt;&amp;c</string>');
  });

  test('of two projects with one name has two names', () => {
    expect(serviceFor('/a/app', {}).name).not.toBe(serviceFor('/b/app', {}).name);
  });
});

describe('completion', () => {
  test('knows runs, their tasks and workflows, and says nothing where there are none', async () => {
    const { piton, write, withStore } = newProject();
    expect(await piton(['__complete', 'run'])).toEqual({ code: 0, stdout: '', stderr: '' });
    write('.piton/workflows/ship.yaml', 'name: ship\ntasks: { a: { run: echo } }\n');
    await withStore(async (store) => {
      const two = workflow('two')
        .task('one', () => 1)
        .task('other', () => 2);
      await (await store.start(two, { id: 'first' })).result();
    });
    expect((await piton(['__complete', 'workflow'])).stdout).toBe('ship\n');
    expect((await piton(['__complete', 'run'])).stdout).toBe('first\n');
    expect((await piton(['__complete', 'task', 'fi'])).stdout).toBe('one\nother\n');
  });

  test('in bash gives commands, options and names', async () => {
    const { piton, write, folder, withStore } = newProject();
    write('.piton/workflows/ship.yaml', 'name: ship\ntasks: { a: { run: echo } }\n');
    await withStore(async (store) => {
      await (
        await store.start(
          workflow('one').task('build', () => 1),
          { id: 'v1' },
        )
      ).result();
      await (
        await store.start(
          workflow('two').task('test', () => 1),
          { id: 'w2' },
        )
      ).result();
    });
    const script = write('completion.bash', (await piton(['completion', 'bash'])).stdout);
    const complete = (...words: string[]): string[] => {
      const line = `piton() { "${process.execPath}" ${binary} "$@"; }; source ${script}
        COMP_WORDS=(piton ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _piton
        printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = spawnSync('bash', ['-c', line], { cwd: folder, encoding: 'utf8' });
      return stdout.trim().split('\n');
    };
    expect(complete('re')).toEqual(['resume', 'reject', 'retry', 'resolve']);
    expect(complete('list', '--st')).toEqual(['--status', '--store']);
    expect(complete('graph', 's')).toEqual(['ship']);
    expect(complete('-C', '.', 'stat')).toEqual(['status']);
    expect(complete('service', '')).toEqual(['install', 'uninstall', 'status']);
    expect(complete('workspace', 're')).toEqual(['reconcile', 'restore', 'recreate']);
    expect(complete('logs', 'v')).toEqual(['v1']);
    expect(complete('agents', 'cl')).toEqual(['claude']);
    for (const words of [['logs'], ['skip'], ['resolve'], ['workspace', 'show']])
      expect(complete(...words, 'v1', '')).toEqual(['build']);
  });

  test('is there for zsh and fish, and for no other', async () => {
    const { piton, write } = newProject();
    const [zsh, fish, other] = await Promise.all(
      ['zsh', 'fish', 'tcsh'].map((shell) => piton(['completion', shell])),
    );
    expect(zsh!.stdout).toMatch(/^#compdef piton\n/);
    expect(fish!.stdout).toContain("complete -c piton -n '__fish_seen_subcommand_from status'");
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('bash, zsh, fish') });
    // Only where the shell is installed can it be asked. By a file: fish does not read every kind of standard input.
    const isRead = (shell: string, script: string): boolean => {
      const { status, error } = spawnSync(shell, ['-n', write(`completion.${shell}`, script)]);
      return error !== undefined || status === 0;
    };
    expect([isRead('zsh', zsh!.stdout), isRead('fish', fish!.stdout)]).toEqual([true, true]);
  });
});
