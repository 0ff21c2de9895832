/** Approvals and questions that are answered with a key, on a real terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { binary } from '../support/built.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type Project } from './command-line.ts';
import { begun, release, writeTraced } from './live-command.ts';
import { SmallTerminal } from './small-terminal.ts';

const hasTerminals = process.platform === 'linux' && existsSync('/usr/bin/script');
const piton = `"${process.execPath}" "${binary}"`;

interface Live {
  readonly terminal: SmallTerminal;
  press(keys: string): void;
  shows(text: string | RegExp): Promise<void>;
  readonly code: Promise<number>;
}

/** A command with a terminal of its own, of 90 columns and 30 rows. */
function live({ folder }: Project, line: string, env: Readonly<Record<string, string>> = {}): Live {
  const { CI: _, ...own } = process.env;
  const child = spawn('script', ['-qfec', `stty cols 90 rows 30; exec ${piton} ${line}`, '/dev/null'], {
    cwd: folder,
    env: { ...own, TERM: 'xterm', NO_COLOR: '1', PITON_DURABILITY: 'process', SHELL: '/bin/bash', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const terminal = new SmallTerminal(90, 30);
  child.stdout.setEncoding('utf8').on('data', (text: string) => terminal.write(text));
  const code = once(child, 'close').then(([status]) => status as number);
  return {
    terminal,
    press: (keys) => void child.stdin.write(keys),
    shows: (text) =>
      eventually(`it shows ${String(text)}`, () =>
        typeof text === 'string' ? terminal.text.includes(text) : text.test(terminal.text),
      ),
    code,
  };
}

const ship = { approval: 'Ship it?', run: 'echo shipped "${{ run.id }}"\nprintf "\\033[31mred"' };
const choosing = {
  needs: ['ship'],
  ask: { question: 'Where to?', choices: ['here', 'there'] },
  run: undefined,
};

test.runIf(hasTerminals)(
  'approvals and questions are answered with keys while others run, and the run goes on',
  async () => {
    const project = newProject();
    writeTraced(project, { beside: {}, ship, where: choosing }, ['beside']);
    const { terminal, press, shows, code } = live(project, 'run flow --id r');
    await shows('  [a]pprove  [r]eject  [l]ater');
    expect(terminal.text).toContain(
      '? ship waits for your approval: Ship it?\n    runs:\n      echo shipped "${{ run.id }}"\n',
    );
    expect(terminal.text).not.toContain('piton approve');
    press('a');
    await shows('    [1] here\n    [2] there\n  a number chooses');
    expect(terminal.text).toContain('✓ ship is approved\n');
    press('2');
    await shows('✓ where is answered: there');
    release(project, 'beside');
    expect(await code).toBe(0);
    expect(terminal.isCursorShown).toBe(true);
    expect(terminal.text).not.toContain('[a]pprove');
    expect(await project.json(['show', 'r', 'ship'])).toMatchObject({
      decisions: [{ decision: 'approved', by: { terminal: expect.any(String) } }],
    });
  },
);

test.runIf(hasTerminals)(
  'what was typed before a question could be read does not answer it, and later leaves with 3',
  async () => {
    const project = newProject();
    writeTraced(project, { first: {}, ship: { ...ship, needs: ['first'] } }, ['first']);
    const { press, shows, code, terminal } = live(project, 'run flow --id r');
    await begun(project, 'first');
    press('aaaa\ra\r');
    release(project, 'first');
    await shows('  [a]pprove  [r]eject  [l]ater');
    expect(terminal.text).not.toContain('is approved');
    press('l');
    expect(await code).toBe(3);
    expect(terminal.text).toMatch(/Next: piton approve r ship$/);
  },
);

test.runIf(hasTerminals)('whoever answers elsewhere is named, and the question goes away', async () => {
  const project = newProject();
  writeTraced(project, { ship, last: { needs: ['ship'] } }, ['last']);
  const { shows, press, code, terminal } = live(project, 'run flow --id r');
  await shows('[a]pprove');
  const watching = live(project, 'attach r');
  await watching.shows('[a]pprove');
  expect(await project.piton(['approve', 'r', 'ship'])).toMatchObject({ code: 0 });
  await shows(/✓ ship is approved by \S+@\S+/);
  await watching.shows(/✓ ship is approved by \S+@\S+/);
  await begun(project, 'last');
  expect(terminal.text).not.toContain('[a]pprove');
  press('a');
  release(project, 'last');
  expect([await code, await watching.code]).toEqual([0, 0]);
});

test.runIf(hasTerminals)('a watcher answers by the same way as any other terminal', async () => {
  const project = newProject();
  writeTraced(project, { ship });
  const driver = live(project, 'run flow --id r', { CI: 'true' });
  await driver.shows('piton approve r ship');
  expect(await driver.code).toBe(3);
  const resumed = live(project, 'resume r');
  await resumed.shows('[a]pprove');
  const watcher = live(project, 'attach r');
  await watcher.shows('[a]pprove');
  watcher.press('r');
  expect(await resumed.code).toBe(1);
  expect(resumed.terminal.text).toMatch(/✗ ship is rejected by \S+@\S+/);
});

test.runIf(hasTerminals)(
  'Ctrl-C at a question stops as it does everywhere, and leaves the terminal as it was',
  async () => {
    const project = newProject();
    writeTraced(project, { where: { ...choosing, needs: [] }, name: { ask: 'Who?', run: undefined } });
    const { shows, press, code, terminal } = live(project, 'run flow --id r');
    await shows('a number chooses');
    press('\u0003');
    expect(await code).toBe(130);
    expect(terminal.isCursorShown).toBe(true);
    expect(terminal.text).toMatch(/! SIGINT: stopping/);
    expect(await project.json(['status', 'r'])).toMatchObject({ tasks: { where: { status: 'held' } } });
    const again = live(project, 'resume r');
    await again.shows('a number chooses');
    again.press('1');
    await again.shows('Enter answers');
    again.press('Ada');
    await again.shows('> Ada_');
    again.press('\r');
    expect(await again.code).toBe(0);
  },
);
