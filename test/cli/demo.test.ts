import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { binary } from '../support/built.ts';
import { eventually } from '../support/eventually.ts';
import { newProject } from './command-line.ts';

/** A folder for temporary files with a name that shells would read otherwise. */
function temporaryPlace(): string {
  const folder = mkdtempSync(join(tmpdir(), `piton-demo-test-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = join(folder, `it's "here" $HOME`);
  mkdirSync(place);
  return place;
}

/** Nothing that Node caches counts. */
function leftIn(place: string): string[] {
  return readdirSync(place).filter((name) => name.startsWith('piton-'));
}

test('agents build two features, are killed together with Piton, go on, and are merged: nothing is done twice, nothing is left behind', async () => {
  const place = temporaryPlace();
  const state = join(place, 'state');
  const env = { TMPDIR: place, XDG_STATE_HOME: state, ...hostileGit(place) };
  const { code, stdout, stderr } = await newProject().binary(['demo'], { env });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/✗ search did not pass its check: .*capitals must not matter/);
  expect(stdout).toMatch(/│ Killed\n/);
  expect(stdout).toContain('search was still running: adopted, not started again');
  expect(stdout).toContain('export goes on in its session after an interruption');
  expect(stdout).toContain('+export const toCsv = () => notes.map(quoted)');
  expect(stdout).toMatch(/\$ piton merge demo\n.* in main/);
  expect(countsIn(stdout)).toEqual([
    ['plan: planned both features', 'before the kill', '1×'],
    ['search: wrote a first version', 'before the kill', '1×'],
    ['search: read why its test failed', 'before the kill', '1×'],
    ['search: corrected it', 'after it', '1×'],
    ['export: wrote the first half', 'before the kill', '1×'],
    ['export: wrote the second half', 'after it', '1×'],
    ['document: described both features', 'after it', '1×'],
  ]);
  expect(stdout).toMatch(/7 pieces of work, each done once.*\n\nNext: piton init\n {2}or: piton agents\n$/s);
  expect([leftIn(place), existsSync(state), existsSync(join(place, 'was-run'))]).toEqual([[], false, false]);
});

/** Settings of a user whose git signs, runs hooks and knows no name; and a variable that a git hook leaves. */
function hostileGit(place: string): Record<string, string> {
  const home = join(place, 'home');
  const hooks = join(home, 'hooks');
  mkdirSync(hooks, { recursive: true });
  for (const hook of ['pre-commit', 'post-checkout', 'reference-transaction']) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch "${place}/was-run"\nexit 1\n`);
    chmodSync(join(hooks, hook), 0o755);
  }
  const settings = `[user]\n\tuseConfigOnly = true\n[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = false
[core]\n\tautocrlf = true\n\thooksPath = ${JSON.stringify(hooks)}\n[init]\n\tdefaultBranch = trunk
[diff]\n\texternal = false\n[color]\n\tui = always\n[merge]\n\tff = false\n`;
  writeFileSync(join(home, '.gitconfig'), settings);
  return { HOME: home, GIT_DIR: join(place, 'elsewhere.git'), GIT_INDEX_FILE: join(place, 'index') };
}

function countsIn(stdout: string): string[][] {
  const lines = stdout.split('\n').filter((line) => line.endsWith('×'));
  return lines.map((line) => line.trim().split(/ {2,}/));
}

test('a workflow of commands is shown by --commands: each task does its work once', async () => {
  const place = temporaryPlace();
  const { code, stdout, stderr } = await newProject().binary(['demo', '--commands'], {
    env: { TMPDIR: place, npm_lifecycle_event: 'demo' },
  });
  expect([code, stderr]).toEqual([0, '']);
  // By `npm run demo` in a clone: there is no `piton` to type yet.
  expect(stdout).toMatch(/\nNext: npm install --global \.\n/);
  expect(stdout).toMatch(/harvested +finished while Piton was dead.* +lint, types/);
  expect(stdout).toMatch(/adopted +was still running.* +test/);
  expect(stdout).toMatch(/started again +was killed before its work was done +docs/);
  expect(stdout).toMatch(/finished before the kill +not run again +fetch, install/);
  expect(stdout).toContain('12 names, none twice.');
  expect(leftIn(place)).toEqual([]);
});

test('Ctrl-C ends the demo with its agents, and removes its folder', async () => {
  const place = temporaryPlace();
  const env = { ...process.env, TMPDIR: place, PITON_DURABILITY: 'process' };
  const child = spawn(process.execPath, [binary, 'demo'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await eventually('an agent is at work', () => printed.includes('export started'));
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([130, null]);
  expect(printed).toContain('The demo was stopped');
  expect(leftIn(place)).toEqual([]);
  await eventually('no process is left', () => !processes().includes(place));
});

function processes(): string {
  return execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' });
}

test('without git the demo says so, and names the one that needs none', async () => {
  const place = temporaryPlace();
  const { code, stderr } = await newProject().binary(['demo'], { env: { TMPDIR: place, PATH: '/nowhere' } });
  expect(code).toBe(2);
  expect(stderr).toContain('piton demo --commands');
  expect(leftIn(place)).toEqual([]);
});
