/** The same as somebody who is not root, with the program itself. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deleteTree } from '../../src/base/index.ts';
import { findSandbox } from '../../src/sandbox/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const environment = { ...process.env, PITON_BWRAP: undefined };
const here = (await findSandbox(environment)).by === 'bubblewrap';
const user = 65_534;

const deeds: Readonly<Record<string, string>> = {
  'its place': 'touch mine',
  'a temporary file': 'touch /tmp/mine',
  'the keys': 'ls "$XDG_STATE_HOME"/piton/keys/*',
  'the store': '[ -w .piton/piton.db ]',
  'the project’s configuration': 'echo x >.piton/config.yaml',
  'its own exit record': 'touch "$(dirname "$PITON_OUTPUT")/../exit"',
  'a namespace': 'unshare -U true || unshare -Ur mount -o remount,rw,bind /',
  'a process outside': `kill -0 ${process.pid} || ls /proc/${process.pid}`,
  'more rights': '! grep -q "NoNewPrivs:.*1" /proc/self/status',
};

function ownFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  chownSync(folder, user, user);
  return folder;
}

describe.skipIf(!here || process.getuid!() !== 0)('as a user who is not root', () => {
  test('what is contained can do what is documented', () => {
    const [folder, home] = [ownFolder(), ownFolder()];
    const steps = Object.entries(deeds).map(
      ([name, step]) =>
        `if (${step}) >/dev/null 2>&1; then echo "open ${name}"; else echo "shut ${name}"; fi`,
    );
    // Where the home lies below a folder that is the sandbox's own, something may be written that nobody else sees.
    const run = `{ ${steps.join('\n')}\n} >seen.txt; touch "$HOME/evil" || true`;
    const tasks = { only: { run, sandbox: 'required' } };
    writeFileSync(join(folder, 'flow.json'), JSON.stringify({ name: 'flow', tasks }));
    const piton = join(import.meta.dirname, '../../bin/piton.js');
    const { status, stderr } = spawnSync(process.execPath, [piton, 'run', './flow.json'], {
      cwd: folder,
      encoding: 'utf8',
      uid: user,
      gid: user,
      env: {
        ...environment,
        PITON_TRUST: '1',
        HOME: home,
        XDG_STATE_HOME: join(home, 'state'),
        XDG_CACHE_HOME: join(home, 'cache'),
      },
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(existsSync(join(home, 'evil'))).toBe(false);
    const seen = readFileSync(join(folder, 'seen.txt'), 'utf8').trim().split('\n');
    const open = new Set(['its place', 'a temporary file']);
    expect(seen).toEqual(Object.keys(deeds).map((name) => `${open.has(name) ? 'open' : 'shut'} ${name}`));
  });

  test('folders that may not be looked into are removed all the same', async () => {
    const folder = ownFolder();
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    for (const path of ['a/b', 'a']) {
      chownSync(join(folder, path), user, user);
      chmodSync(join(folder, path), 0o500);
    }
    process.seteuid!(user);
    try {
      await deleteTree(join(folder, 'a'));
    } finally {
      process.seteuid!(0);
    }
    expect(() => readFileSync(join(folder, 'a'))).toThrow('ENOENT');
  });
});
