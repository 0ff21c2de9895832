import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { binary } from '../support/built.ts';
import { newProject, type Project } from './command-line.ts';
import { parseLines, startPiton } from './live-command.ts';
import { played, writeFlow } from './played.ts';
import { SmallTerminal } from './small-terminal.ts';

/** A run whose first agent asks for something and is held; the second has not begun; the third task is no agent. */
async function held(): Promise<Project> {
  const project = newProject();
  const ask = [
    { say: 'I looked around.' },
    { ask: { tool: 'Web', input: { url: 'x' } } },
    { recall: true },
    { answer: 'end' },
  ];
  writeFlow(project, {
    fix: played([ask]),
    next: { needs: ['fix'], ...played([[{ answer: 'x' }]]) },
    list: { run: 'ls' },
    each: { needs: ['fix'], 'for-each': { in: ['a', 'b'], as: 'part' }, ...played([[{ answer: 'x' }]]) },
  });
  expect((await project.piton(['run', 'flow', '--id', 'held'])).code).toBe(3);
  return project;
}

test('a session is handed over with what was said in it, taken back at the end, and the task goes on in it', async () => {
  const project = await held();
  const { code, stdout } = await project.binary(['open', 'held', 'fix'], { input: 'look again\n' });
  expect(stdout).toMatch(/^Opening the session \S+ of fix: Scripted agent in .*\n/);
  expect(stdout).toContain('agent: I looked around.\n');
  expect(stdout).toContain('agent: heard: look again\n');
  expect(stdout).toMatch(
    /The session is back\.\nNext: piton approve held fix\n(.*\n)* +or: piton tell held fix "…"\n$/,
  );
  expect(code).toBe(0);
  expect((await project.piton(['approve', 'held', 'fix'])).code).toBe(0);
  const { stdout: logs } = await project.piton(['logs', 'held', 'fix']);
  expect(logs).toMatch(/○ a person had the session from .* to .*\n(.*\n)*.*goes on in its session/);
  expect(logs).toContain('look again');
  const events = parseLines((await project.piton(['logs', 'held', 'fix', '--json'])).stdout);
  const { from, to } = events.find(({ type }) => type === 'session.returned')!.data as Record<string, number>;
  expect(to! - from!).toBeGreaterThanOrEqual(0);
});

test('a task that waited for its session goes on by resuming the run, and that is what is said at the end', async () => {
  const project = newProject();
  writeFlow(project, { fix: played([[{ fail: 'no' }], [{ answer: 'fixed' }]]) });
  await project.piton(['run', 'flow', '--id', 'ended']);
  const { stdin, stdout } = startOpen(project, 'ended', 'fix');
  let seen = '';
  stdout.on('data', (part: Buffer) => (seen += String(part)));
  const shown = text(stdout);
  await eventually('the session is taken', () => seen.includes('Opening the session'));
  const retried = await project.piton(['retry', 'ended', 'fix']);
  expect(retried.code).toBe(3);
  expect(retried.stdout).toMatch(/its session is open[^]*\nNext: piton resume ended\n/);
  stdin.end('exit\n');
  expect(await shown).toContain('The session is back.\nNext: piton resume ended\n');
  expect((await project.piton(['resume', 'ended'])).stdout).toContain('Run ended of flow succeeded');
});

/** The session in the hands of somebody who has not said anything yet. */
function startOpen({ folder }: Project, ...place: string[]) {
  const child = spawn(process.execPath, [binary, 'open', ...place], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('--print and --json only tell the command line, and take nothing', async () => {
  const { piton, json, folder } = await held();
  const { stdout } = await piton(['open', 'held', 'fix', '--print']);
  expect(stdout).toMatch(new RegExp(`^cd ${folder} && \\S+node\\S* \\S+player\\.[jt]s --talk \\S+\\n$`));
  expect(await json(['open', 'held', 'fix'])).toEqual({
    run: 'held',
    task: 'fix',
    agent: 'scripted',
    session: expect.any(String),
    directory: folder,
    argv: [expect.any(String), expect.any(String), '--talk', expect.any(String)],
  });
  expect(await piton(['approve', 'held', 'fix'])).toMatchObject({
    code: 0,
    stdout: expect.not.stringContaining('the session of fix'),
  });
});

test('what cannot be opened is refused: no such task, no agent, no session yet', async () => {
  const { piton } = await held();
  const refusal = async (...args: string[]): Promise<unknown> => {
    const { code, stderr } = await piton(['open', ...args]);
    return [code, stderr];
  };
  expect(await refusal('held', 'fox')).toEqual([2, expect.stringContaining('Did you mean fix?')]);
  expect(await refusal('held', 'list')).toEqual([2, expect.stringContaining('list is not done by an agent')]);
  expect(await refusal('held', 'next')).toEqual([4, expect.stringContaining('SESSION_MISSING')]);
  expect(await refusal('held', 'each')).toEqual([
    2,
    expect.stringContaining('each has a conversation for each of its items'),
  ]);
  expect(await refusal('held', 'next', '--print')).toEqual([4, expect.stringContaining('SESSION_MISSING')]);
});

test('a session that is in use is refused: its task runs, or somebody else has it open', async () => {
  const project = newProject();
  writeFlow(project, {
    fix: {
      ...played([[{ edit: { file: 'begun', text: '' } }, { await: 'go' }, { answer: 'end' }]]),
      'working-directory': 'part',
    },
  });
  const part = dirname(project.write('part/go.txt', ''));
  const driver = startPiton(project, ['run', 'flow', '--id', 'busy']);
  await eventually('it is at work', () => existsSync(join(part, 'begun')));
  expect(await project.piton(['open', 'busy', 'fix'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('SESSION_BUSY'),
  });
  // Printed, it would be typed all the same.
  const printed = await project.piton(['open', 'busy', 'fix', '--print']);
  expect(printed.stdout).toMatch(/^cd \S*\/part && .* --talk/);
  expect(printed.stderr).toContain('fix is working in that session');
  expect(await project.json(['open', 'busy', 'fix'])).toMatchObject({
    busy: 'fix is working in that session',
  });
  project.write('part/go', '');
  await driver.ended;
  const child = startOpen(project, 'busy', 'fix');
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (said += part));
  await eventually('it is open', () => said.includes('agent: end'));
  const second = await project.piton(['open', 'busy', 'fix']);
  expect([second.code, second.stderr]).toEqual([4, expect.stringContaining(`process ${child.pid}`)]);
  child.stdin.end('exit\n');
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
  expect(await project.binary(['open', 'busy', 'fix'], { input: '' })).toMatchObject({ code: 0 });
});

test('while a person has the session of a run under way, its task waits for it, and goes on by itself afterwards', async () => {
  const project = newProject();
  const asking = [{ ask: { tool: 'Web', input: {} } }, { answer: 'end' }];
  const waiting = 'while [ ! -e go ]; do sleep 0.02; done';
  writeFlow(project, { fix: played([asking]), wait: { run: waiting, workspace: 'shared' } });
  const driver = startPiton(project, ['run', 'flow', '--id', 'both']);
  await driver.shows('fix asks whether it may use Web');
  const child = startOpen(project, 'both', 'fix');
  await driver.shows(`the session of fix is open in process ${child.pid}`);
  expect((await project.piton(['approve', 'both', 'fix'])).code).toBe(0);
  await driver.shows(`fix waits for you: its session is open in process ${child.pid}`);
  child.stdin.end('exit\n');
  await driver.shows('the session of fix is back');
  await driver.shows('fix goes on in its session with scripted (attempt 2)');
  project.write('go', '');
  expect((await driver.ended).code).toBe(0);
});

test.runIf(process.platform === 'linux')(
  'a session stays taken as long as the program lives in which it is open, whatever becomes of whoever started that',
  async () => {
    const project = await held();
    // Unlike a pipe of ours, one with a name stays open when the first who reads it has ended.
    execFileSync('mkfifo', [join(project.folder, 'words')]);
    const start = (line: string) =>
      spawn('sh', ['-c', line, process.execPath, binary], {
        cwd: project.folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    const person = start('exec sleep 1000 > words');
    const child = start('exec "$0" "$1" open held fix < words');
    onTestFinished(() => [person, child].forEach((one) => void one.kill('SIGKILL')));
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (shown += part));
    await eventually('the session is open', () => shown.includes('agent: I looked around.'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await project.piton(['open', 'held', 'fix'])).stderr).toContain('SESSION_BUSY');
    const { code, stdout } = await project.piton(['approve', 'held', 'fix']);
    expect(stdout).toContain('fix waits for you: its session is open');
    expect(code).toBe(3);
    person.kill('SIGKILL');
    await once(child, 'close');
    expect((await project.piton(['resume', 'held'])).code).toBe(0);
  },
);

test("where the agent's program is missing, that is said, and the session is not taken", async () => {
  const project = await held();
  project.write('.piton/config.yaml', 'agents: { scripted: { executable: no-such-program } }\n');
  const { code, stderr } = await project.piton(['open', 'held', 'fix']);
  expect(stderr).toContain('no-such-program');
  expect(stderr).toContain('AGENT_MISSING');
  expect(code).toBe(1);
  expect((await project.piton(['approve', 'held', 'fix', '--no-drive'])).code).toBe(0);
});

test('without a terminal a real agent is not started, and the session is not taken', async () => {
  const project = newProject();
  const stream = '{"type":"thread.started","thread_id":"t-1"}\\n{"type":"turn.completed"}';
  const program = project.write('programs/codex', `#!/bin/sh\ncat > /dev/null\nprintf '${stream}\\n'\n`);
  chmodSync(program, 0o755);
  project.write('.piton/config.yaml', `agents: { codex: { executable: ${program} } }\n`);
  project.write('.piton/workflows/w.yaml', 'name: w\ntasks:\n  look: { agent: codex, prompt: Look. }\n');
  await project.piton(['run', 'w', '--id', 'w']);
  const { code, stdout, stderr } = await project.binary(['open', 'w', 'look'], { input: '' });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Codex talks on a terminal, and here is none.');
  expect((await project.piton(['open', 'w', 'look', '--print'])).stdout).toContain('t-1');
});

/** Its options differ from system to system; the one of Linux is the one that is known here. */
const hasTerminals = process.platform === 'linux' && existsSync('/usr/bin/script');

test.runIf(hasTerminals)(
  'on a terminal Ctrl-C is for the agent, and the session is given back when that has ended',
  async () => {
    const project = await held();
    const line = `exec "${process.execPath}" "${binary}" open held fix`;
    const child = spawn('script', ['-qfec', line, '/dev/null'], {
      cwd: project.folder,
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/bash' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const terminal = new SmallTerminal(200, 50);
    child.stdout.setEncoding('utf8').on('data', (part: string) => terminal.write(part));
    const isClosed = text(child.stdout);
    await eventually('the agent waits for words', () => /\n> ?$/.test(terminal.text));
    child.stdin.write('hello\r');
    await eventually('it was heard', () => terminal.text.includes('agent: heard: hello'));
    child.stdin.write('\u0003');
    await isClosed;
    expect(terminal.text).toContain('The session is back.');
    const { stdout } = await project.piton(['approve', 'held', 'fix']);
    expect(stdout).toMatch(
      /▸ the session of fix is open in process \d+ on .*\n.*▸ the session of fix is back\n/,
    );
  },
);
