import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newProject, type Answer, type Project } from '../cli/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A folder as a person has it who has never trusted anything: somebody's repository, or a new one. */
interface Place extends Project {
  readonly state: string;
  /** Calls `piton` without a terminal. */
  call(...args: string[]): Promise<Answer>;
  /** At a terminal, where somebody answers. */
  answer(answer: string, ...args: string[]): Promise<Answer>;
  /** Whether anything of the repository has been executed. */
  pwned(): boolean;
}

function place(state = temporaryFolder()): Place {
  const project = newProject();
  const env = { PITON_TRUST: '', XDG_STATE_HOME: state };
  return {
    ...project,
    state,
    call: (...args) => project.piton(args, { env }),
    answer: (answer, ...args) => project.piton(args, { env, answer }),
    pwned: () => existsSync(join(project.folder, 'pwned')),
  };
}

const hello = 'name: hello\ntasks: { a: { run: echo hello } }\n';

/** A clone whose every setting is a way to execute something. */
function hostile(): Place {
  const clone = place();
  const { folder, write } = clone;
  chmodSync(write('evil.sh', `#!/bin/sh\ntouch '${folder}/pwned'\n`), 0o755);
  const evil = join(folder, 'evil.sh');
  write(
    '.piton/config.yaml',
    `agents: { claude: { executable: ./evil.sh }, codex: { executable: ${evil} } }
remotes: { farm: { host: farm, ssh: [-o, ProxyCommand=${evil}] } }
delivery: { command: ${evil} }
mirror: pwned
`,
  );
  write('.piton/workflows/hello.yaml', hello);
  write(
    '.piton/workflows/code.ts',
    `import { writeFileSync } from 'node:fs'; writeFileSync('${folder}/pwned', '');\n`,
  );
  write('.piton/workflows/agent.yaml', 'name: agent\ntasks: { a: { agent: claude, prompt: hi } }\n');
  write(
    '.claude/settings.json',
    `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"${evil}"}]}]}}`,
  );
  write('node_modules/.bin/gemini', `#!/bin/sh\ntouch '${folder}/pwned'\n`);
  chmodSync(join(folder, 'node_modules/.bin/gemini'), 0o755);
  return clone;
}

describe('in a project that nobody has trusted', () => {
  test('no command that only looks executes anything of it', async () => {
    const clone = hostile();
    await clone.withStore(async () => {});
    const reading = [
      [],
      ['status'],
      ['list'],
      ['inbox'],
      ['usage'],
      ['search', 'x'],
      ['verify'],
      ['doctor'],
      ['agents'],
      ['validate'],
      ['graph', 'hello'],
      ['graph', 'code'],
      ['run', 'hello', '--dry-run'],
      ['run', 'code', '--dry-run'],
      ['workspace', 'list'],
      ['workspace', 'clean', '--dry-run'],
      ['service', 'status'],
      ['completion', 'bash'],
      ['__complete', 'workflow'],
      ['trust', 'list'],
      ['logs'],
      ['show'],
      ['history'],
      ['diff'],
      ['drift'],
      ['resume', '--dry-run'],
    ];
    for (const args of reading) {
      await clone.call(...args);
      expect([args, clone.pwned()]).toEqual([args, false]);
    }
  });

  test('no program of it is started that a link on the PATH leads to', async () => {
    const clone = hostile();
    const link = join(temporaryFolder(), 'bin');
    symlinkSync(join(clone.folder, 'node_modules/.bin'), link);
    const PATH = `${link}:${process.env['PATH']}`;
    const { stdout } = await clone.piton(['agents'], {
      env: { PITON_TRUST: '', XDG_STATE_HOME: clone.state, PATH },
    });
    expect(stdout).toContain('gemini');
    expect(clone.pwned()).toBe(false);
  });

  test('doctor and agents say that they leave out what it names', async () => {
    const clone = hostile();
    expect((await clone.call('agents')).stderr).toContain('not trusted');
    expect((await clone.call('doctor')).stdout).toMatch(/warn\s+trust .*config.yaml/);
    const path = `node_modules/.bin:${clone.folder}/node_modules/.bin:${process.env['PATH']}`;
    await clone.piton(['agents'], { env: { PITON_TRUST: '', XDG_STATE_HOME: clone.state, PATH: path } });
    expect(clone.pwned()).toBe(false);
  });

  test('what would be trusted is told to programs as JSON, too', async () => {
    const { stdout, stderr } = await hostile().call('trust', '--json');
    expect(stdout).toBe('');
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => Object.keys(JSON.parse(line) as object));
    expect(lines.flat()).toEqual([...lines.slice(1).map(() => 'note'), 'error']);
    expect(lines.length).toBeGreaterThan(3);
  });

  test('nothing is run, decided or delivered without a terminal', async () => {
    const clone = hostile();
    await clone.withStore(async () => {});
    const acting = [
      ['run', 'hello'],
      ['run', 'code'],
      ['resume'],
      ['resume', '--all'],
      ['approve', 'x', 'a'],
      ['reject', 'x', 'a'],
      ['retry', 'a'],
      ['skip', 'x', 'a'],
      ['tell', 'a', 'hi'],
      ['open', 'x', 'a'],
      ['resolve', 'r', 'a'],
      ['merge'],
      ['pr'],
      ['workspace', 'clean'],
      ['store', 'prune', '--keep', '0'],
      ['verify', '--repair'],
      ['service', 'install'],
    ];
    for (const args of acting) {
      const { code, stderr } = await clone.call(...args);
      expect([args, code, stderr]).toEqual([args, 4, expect.stringContaining('TRUST_NEEDED')]);
    }
    expect(clone.pwned()).toBe(false);
  });

  test('a store that lies elsewhere is not even looked into', async () => {
    const [mine, clone] = [place(), place()];
    await mine.withStore(async () => {});
    clone.write('.piton/config.yaml', `store: sqlite:${mine.folder}/.piton/piton.db\n`);
    expect((await clone.call('list')).stderr).toContain('TRUST_NEEDED');
    rmSync(join(clone.folder, '.piton/config.yaml'));
    symlinkSync(join(mine.folder, '.piton/piton.db'), join(clone.folder, '.piton/piton.db'));
    expect((await clone.call('list')).stderr).toContain('TRUST_NEEDED');
  });
});

describe('where trust was lost', () => {
  test('a run can still be stopped, and goes on nowhere', async () => {
    const { call, write, json } = place();
    await call('init');
    write('.piton/workflows/gate.yaml', 'name: gate\ntasks: { ask: { approval: "May I?", run: echo } }\n');
    expect((await call('run', 'gate', '--id', 'gate')).code).toBe(3);
    write('.piton/config.yaml', 'delivery: { command: ./evil.sh }\n');
    const { code, stderr } = await call('cancel', 'gate');
    expect([code, stderr]).toEqual([4, expect.stringMatching(/decision is kept[^]*TRUST_NEEDED/)]);
    await call('trust', '--yes');
    await call('resume', 'gate');
    expect(await json(['status', 'gate'])).toMatchObject({ status: 'cancelled' });
  });
});

describe('the settings of agents', () => {
  test('count up to the repository, and behind links', async () => {
    const { folder, call, write } = place();
    execFileSync('git', ['init', '-q', folder]);
    write('package/.piton/workflows/hello.yaml', hello);
    const run = ['-C', join(folder, 'package'), 'run', 'hello'];
    await call('-C', join(folder, 'package'), 'trust', '--yes');
    expect(await call(...run)).toMatchObject({ code: 0 });
    write('opencode.json', '{}');
    expect((await call(...run)).stderr).toContain('../opencode.json');
    rmSync(join(folder, 'opencode.json'));
    expect(await call(...run)).toMatchObject({ code: 0 });
    write('.claude/skills/own.md', '');
    await call('-C', join(folder, 'package'), 'trust', '--yes');
    symlinkSync('/etc', join(folder, '.claude/skills/linked'));
    for (const name of ['a', 'b', 'c']) symlinkSync('.', join(folder, '.claude/skills', name));
    expect((await call(...run)).stderr).toContain('../.claude/skills/linked');
  });
});

describe('what git would start', () => {
  test('by the configuration of the repository, is asked about: an archive brings it, or an agent has written it', async () => {
    const { call, answer, write, folder } = place();
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
    git('init', '-q');
    git('config', 'core.hooksPath', '.husky');
    git('config', 'remote.origin.url', 'https://127.0.0.1/x.git');
    const file = write('hello.yaml', hello);
    expect(await call('run', file)).toMatchObject({ code: 0 });
    write('more.cfg', '[filter "x"]\n\tclean = touch pwned\n');
    git('config', 'include.path', '../more.cfg');
    const refused = await call('run', file);
    expect(refused.stderr).toContain('.git/config has changed since you trusted the project');
    const { stderr } = await answer('y', 'run', file);
    expect(stderr).toContain('+ include.path = ../more.cfg\n    + filter.x.clean = touch pwned\n');
    expect(stderr).not.toContain('husky');
    expect(await call('run', file)).toMatchObject({ code: 0 });
    write('more.cfg', '[filter "x"]\n\tclean = rm -rf /\n');
    expect((await call('run', file)).stderr).toContain('.git/config has changed');
  });

  test('on a condition, is asked about wherever it holds: in the worktree one is in, or in the repository', async () => {
    const { call, write, folder } = place();
    const git = (...args: string[]): unknown => execFileSync('git', args, { cwd: folder });
    git('init', '-q', '-b', 'main');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'one');
    git('worktree', 'add', '-q', '-b', 'side', 'side');
    write('more.cfg', '[filter "x"]\n\tclean = one\n');
    git('config', 'includeIf.onbranch:main.path', '../more.cfg');
    const run = ['-C', join(folder, 'side'), 'run', write('hello.yaml', hello)];
    await call('-C', join(folder, 'side'), 'trust', '--yes');
    expect(await call(...run)).toMatchObject({ code: 0 });
    write('more.cfg', '[filter "x"]\n\tclean = another\n');
    expect(await call(...run)).toMatchObject({ code: 4, stderr: expect.stringContaining('.git/config') });
  });

  test('is asked about before the first run in a folder that has no settings of Piton', async () => {
    const { call, write, folder } = place();
    execFileSync('git', ['init', '-q'], { cwd: folder });
    execFileSync('git', ['config', 'core.pager', './evil.sh'], { cwd: folder });
    const { stderr, code } = await call('run', write('hello.yaml', hello));
    expect({ stderr, code }).toMatchObject({ code: 4, stderr: expect.stringContaining('.git/config') });
  });
});

describe('at a terminal', () => {
  test('one is shown all of it, and asked once', async () => {
    const { answer, call, write, folder } = place();
    write('.piton/workflows/hello.yaml', hello);
    write('.piton/config.yaml', 'delivery: { command: "echo \u202e$(secret)" }\n');
    const refused = await answer('n', 'run', 'hello');
    expect(refused).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(String.raw`+ delivery: { command: "echo \u{202e}$(secret)" }`),
    });
    expect(await answer('', 'run', 'hello')).toMatchObject({ code: 4 });
    expect(await answer('y', 'run', 'hello')).toMatchObject({ code: 0 });
    expect(await call('run', 'hello')).toMatchObject({ code: 0, stderr: '' });
    // Somebody has pulled.
    write('.piton/config.yaml', 'delivery: { command: "rm -rf /" }\n');
    expect((await call('resume', '--all')).stderr).toContain(
      '.piton/config.yaml has changed since you trusted the project',
    );
    const changed = await answer('no', 'run', 'hello');
    expect(changed.stderr).toContain('- delivery: { command: "echo');
    expect(changed.stderr).toContain('+ delivery: { command: "rm -rf /" }');
    write('.mcp.json', '{}');
    expect((await answer('no', 'run', 'hello')).stderr).toContain('.mcp.json');
    // What is long must not push the rest out of sight.
    write('.claude/skills/long.md', 'x\n'.repeat(1000));
    expect((await answer('no', 'run', 'hello')).stderr).toMatch(
      /Shown above: \.piton\/config\.yaml \(2 lines\), .*long\.md \(1000 lines\)\.\nTrust it\?/,
    );
    expect(existsSync(join(folder, '.piton/piton.db'))).toBe(true);
  });
});

describe('piton trust', () => {
  test('asks for a terminal or --yes, and is taken back', async () => {
    const { call, write, state, folder } = place();
    write('.piton/workflows/hello.yaml', hello);
    expect(await call('trust')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('piton trust --yes'),
    });
    expect(await call('trust', '--yes')).toMatchObject({ code: 0 });
    expect(statSync(join(state, 'piton/trust')).mode & 0o777).toBe(0o700);
    const [record] = readdirSync(join(state, 'piton/trust'));
    expect(statSync(join(state, 'piton/trust', record!)).mode & 0o777).toBe(0o600);
    expect((await call('trust', 'list')).stdout).toContain(folder);
    expect(await call('run', 'hello')).toMatchObject({ code: 0 });
    expect(await call('trust', 'revoke')).toMatchObject({ code: 0 });
    expect(await call('run', 'hello')).toMatchObject({ code: 4 });
    expect((await call('trust', 'list')).stdout).toContain('Nothing is trusted');
  });

  test('is taken back from a project that is gone, too', async () => {
    const [here, gone] = [place(), newProject()];
    const { call, folder } = here;
    await call('-C', gone.folder, 'init');
    await call('-C', folder, 'init');
    rmSync(gone.folder, { recursive: true });
    expect(await call('trust', 'revoke', gone.folder)).toMatchObject({ code: 0 });
    expect((await call('trust', 'list')).stdout).toContain(folder);
    expect((await call('trust', 'list')).stdout).not.toContain(gone.folder);
    expect(await call('trust', 'list', folder)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('takes no folder'),
    });
  });

  test('once taken back, is asked for with the runs that are there', async () => {
    const { call, write } = place();
    await call('init');
    write('.piton/workflows/hello.yaml', hello);
    await call('run', 'hello');
    await call('trust', 'revoke');
    const { code, stderr } = await call('trust');
    expect(code).toBe(4);
    expect(stderr).toContain('its store, with runs that nobody has trusted');
    expect(stderr).not.toContain('nothing else');
  });

  test('holds for the place, by whatever way one comes there', async () => {
    const { call, write, folder } = place();
    write('.piton/workflows/hello.yaml', hello);
    await call('trust', '--yes');
    symlinkSync(folder, `${folder}-link`);
    expect(await call('-C', `${folder}-link`, 'run', 'hello')).toMatchObject({ code: 0 });
    rmSync(`${folder}-link`);
  });
});

describe('a record of trust', () => {
  const isRoot = process.getuid?.() === 0;
  test.runIf(isRoot)(
    'that another user has written, or could have, is none; nor is a link to one',
    async () => {
      const { call, write, state } = place();
      write('.piton/workflows/hello.yaml', hello);
      await call('trust', '--yes');
      const [name] = readdirSync(join(state, 'piton/trust'));
      const record = join(state, 'piton/trust', name!);
      const ways: readonly (() => void)[] = [
        () => chownSync(record, 12_345, 12_345),
        () => chmodSync(record, 0o666),
        () => (renameSync(record, `${record}.kept`), symlinkSync(`${record}.kept`, record)),
      ];
      for (const change of ways) {
        expect(await call('run', 'hello')).toMatchObject({ code: 0 });
        change();
        expect(await call('run', 'hello')).toMatchObject({ code: 4 });
        await call('trust', '--yes');
      }
    },
  );
});

describe('what Piton makes itself', () => {
  test('is trusted: init, and the first run in a new folder', async () => {
    const { call, answer, write, folder } = place();
    expect(await call('init')).toMatchObject({ code: 0 });
    write('.piton/workflows/hello.yaml', hello);
    expect(await call('run', 'hello')).toMatchObject({ code: 0, stderr: '' });
    expect(await call('resume', '--all')).toMatchObject({ code: 0 });
    const fresh = place();
    fresh.write('hello.yaml', hello);
    expect(await fresh.call('run', './hello.yaml')).toMatchObject({ code: 0, stderr: '' });
    expect(await fresh.call('run', './hello.yaml')).toMatchObject({ code: 0, stderr: '' });
    // What somebody adds to it later is not.
    write('.piton/config.yaml', 'agents: {}\n');
    expect(await call('run', 'hello')).toMatchObject({ code: 4 });
    expect(await answer('yes', 'run', 'hello')).toMatchObject({ code: 0 });
    expect(folder).not.toBe(fresh.folder);
  });

  test('init trusts nothing that was there', async () => {
    const clone = hostile();
    await clone.call('init');
    expect(await clone.call('run', 'hello')).toMatchObject({ code: 4 });
    const other = place();
    other.write('.claude/settings.json', '{}');
    await other.call('init');
    expect(await other.call('run', 'hello')).toMatchObject({ code: 4 });
  });
});

describe('a death while trust is written down', () => {
  const dying = { PITON_TRUST: '', PITON_CRASH_AT: 'before:trust.write' };

  test('leaves no trust, and nobody is kept from giving it again', async () => {
    const { binary, call, write, state } = place();
    write('.piton/workflows/hello.yaml', hello);
    await binary(['trust', '--yes'], { env: { ...dying, XDG_STATE_HOME: state } });
    expect(await call('run', 'hello')).toMatchObject({ code: 4 });
    expect(await call('trust', '--yes')).toMatchObject({ code: 0 });
    expect(await call('run', 'hello')).toMatchObject({ code: 0 });
  });

  test("before the first run leaves a store that is still one's own", async () => {
    const { binary, call, write, state } = place();
    await call('init');
    write('.piton/workflows/hello.yaml', hello);
    await binary(['run', 'hello'], { env: { ...dying, XDG_STATE_HOME: state } });
    expect(await call('run', 'hello')).toMatchObject({ code: 0 });
    expect(await call('resume', '--all')).toMatchObject({ code: 0 });
  });
});

describe('a run that came with a repository', () => {
  test('is not gone on with: neither in a copy, nor where it takes the place of the own ones', async () => {
    const [mine, theirs] = [place(), place()];
    for (const { call, write } of [mine, theirs]) {
      await call('init');
      write('.piton/workflows/hello.yaml', hello);
      expect(await call('run', 'hello')).toMatchObject({ code: 0 });
    }
    const copy = place(mine.state);
    cpSync(join(mine.folder, '.piton'), join(copy.folder, '.piton'), { recursive: true });
    expect((await copy.call('resume')).stderr).toContain('TRUST_NEEDED');
    const file = '.piton/piton.db';
    cpSync(join(theirs.folder, file), join(mine.folder, 'pulled'));
    renameSync(join(mine.folder, 'pulled'), join(mine.folder, file));
    expect((await mine.call('resume')).stderr).toContain('runs that were not begun here');
    expect(await mine.call('list')).toMatchObject({ code: 0 });
  });

  test('is not gone on with where git keeps it in a folder whose name begins with two dots', async () => {
    const { folder, call, write } = place();
    write('.piton/workflows/hello.yaml', hello);
    write('.piton/config.yaml', 'store: sqlite:..state/piton.db\n');
    write('..state/piton.db-wal', 'frames');
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' });
    git('init', '-q');
    git('add', '-f', '..state/piton.db-wal');
    expect((await call('trust', '--yes')).stderr).toContain('STATE_TRACKED');
  });

  test('is not gone on with where git keeps it, be the project trusted or not', async () => {
    const { folder, call, write } = place();
    await call('init');
    write('.piton/workflows/hello.yaml', hello);
    write('.piton/piton.db-wal', 'frames');
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' });
    git('init', '-q');
    git('add', '-f', '.piton/piton.db-wal');
    const { code, stderr } = await call('run', 'hello');
    expect([code, stderr]).toEqual([4, expect.stringContaining('STATE_TRACKED')]);
    const [, remedy] = /not yours: (.*)/.exec(stderr)!;
    expect(spawnSync('sh', ['-c', remedy!]).status).toBe(0);
    rmSync(join(folder, '.piton/piton.db-wal'));
    expect(await call('run', 'hello')).toMatchObject({ code: 0 });
    // A repository inside of the repository.
    git('-C', '.piton', 'init', '-q');
    write('.piton/spool/forged/exit', '0');
    git('-C', '.piton', 'add', '-f', 'spool/forged/exit');
    expect((await call('run', 'hello')).stderr).toContain('STATE_TRACKED');
  });
});

describe('trust given by the environment', () => {
  test('is for one call, and not for what it starts', async () => {
    const { piton, call, write, folder } = place();
    write(
      '.piton/workflows/tell.yaml',
      'name: tell\ntasks: { a: { run: "echo trust=$PITON_TRUST. > said" } }\n',
    );
    expect(await piton(['run', 'tell'], { env: { PITON_TRUST: '1' } })).toMatchObject({ code: 0 });
    expect(spawnSync('cat', [join(folder, 'said')], { encoding: 'utf8' }).stdout).toBe('trust=.\n');
    expect(await call('run', 'tell')).toMatchObject({ code: 4 });
  });
});
