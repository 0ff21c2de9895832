import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { binary } from '../support/built.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type Project } from './command-line.ts';
import { begun, ledgerOf, release, writeTraced } from './live-command.ts';
import { SmallTerminal } from './small-terminal.ts';

/** Its options differ from system to system; the one of Linux is the one that is known here. */
const hasTerminals = process.platform === 'linux' && existsSync('/usr/bin/script');

const piton = `"${process.execPath}" "${binary}"`;

/** Shell text with a terminal of its own, of 60 columns and 20 rows. */
function onTerminal({ folder }: Project, line: string) {
  const child = spawn('script', ['-qfec', `stty cols 60 rows 20; ${line}`, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TERM: 'xterm', NO_COLOR: '1', PITON_DURABILITY: 'process', SHELL: '/bin/bash' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const terminal = new SmallTerminal(60, 20);
  child.stdout.setEncoding('utf8').on('data', (text: string) => terminal.write(text));
  return { child, terminal };
}

test.runIf(hasTerminals)(
  'on a real terminal what runs is drawn in place, what has ended stays, and Ctrl-C leaves it as it was',
  async () => {
    const project = newProject();
    const talking = 'echo "$PITON_TASK" >> ledger; echo halfway; while [ -e b.wait ]; do sleep 0.02; done';
    writeTraced(project, { a: {}, b: { needs: ['a'], run: talking }, c: { needs: ['b'] } }, ['b']);
    const { child, terminal } = onTerminal(project, `exec ${piton} run flow --id live`);
    await begun(project, 'b');
    await eventually('b is drawn', () =>
      /\n▶ b {2}\ds {2}halfway\n█+░+ 33% · 1\/3 done · 1 running/.test(terminal.text),
    );
    expect(terminal.isCursorShown).toBe(false);
    expect(terminal.text).toMatch(/^Run live of flow: 3 tasks[\s\S]*\n✓ a \d+ms\n▶ b/);
    child.stdin.write('\u0003');
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(130);
    expect(terminal.isCursorShown).toBe(true);
    expect(terminal.text).toMatch(
      /✓ a \d+ms\n(\^C)?! SIGINT: stopping[\s\S]*b was interrupted[\s\S]*Next: piton resume live$/,
    );
    expect(terminal.text).not.toContain('▶');
    release(project, 'b');
    expect((await project.piton(['resume', 'live'])).code).toBe(0);
    expect(ledgerOf(project)).toEqual(['a', 'b', 'b', 'c']);
  },
);

test.runIf(hasTerminals)('Ctrl-Z gives the terminal back as it was, and fg goes on drawing', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] } }, ['a']);
  const { child, terminal } = onTerminal(project, `set -m; ${piton} run flow; echo "stopped $?"; fg`);
  await eventually('a is drawn', () => /\n▶ a/.test(terminal.text) && !terminal.isCursorShown);
  child.stdin.write('\u001a');
  await eventually('it has stopped and goes on', () => /stopped 1\d\d[\s\S]*\n▶ a/.test(terminal.text));
  const [before] = terminal.text.split('stopped');
  expect(before).not.toContain('▶');
  release(project, 'a');
  const [code] = (await once(child, 'close')) as [number];
  expect([code, terminal.isCursorShown]).toEqual([0, true]);
  expect(ledgerOf(project)).toEqual(['a', 'b']);
});

test.runIf(hasTerminals)(
  'a terminal that goes away stops the run in good order: what ran is started again by the next resume',
  async () => {
    const project = newProject();
    writeTraced(project, { a: {}, b: { needs: ['a'] } }, ['b']);
    const { child, terminal } = onTerminal(project, `exec ${piton} run flow --id gone`);
    await begun(project, 'b');
    await eventually('b is drawn', () => /\n▶ b/.test(terminal.text));
    child.kill('SIGKILL');
    await eventually('nobody drives it', async () => {
      const { driver } = (await project.json(['status', 'gone'])) as { driver?: object };
      return driver === undefined;
    });
    expect(await project.json(['status', 'gone'])).toMatchObject({
      status: 'interrupted',
      tasks: { a: { status: 'succeeded' }, b: { status: 'queued' } },
    });
    release(project, 'b');
    expect((await project.piton(['resume', 'gone'])).code).toBe(0);
    expect(ledgerOf(project)).toEqual(['a', 'b', 'b']);
  },
);
