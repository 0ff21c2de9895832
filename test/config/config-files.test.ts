/** Files that are not what they should be: each is refused in words, and nothing of them counts. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveConfig, type Config } from '../../src/config/index.ts';
import { eventually } from '../support/eventually.ts';
import { watchConfig } from '../../src/config/watch-config.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Place {
  readonly root: string;
  readonly user: string;
  readonly project: string;
  resolve(): Promise<Config>;
}

function place(): Place {
  const root = temporaryFolder();
  mkdirSync(join(root, 'p/.piton'), { recursive: true });
  mkdirSync(join(root, 'home/piton'), { recursive: true });
  return {
    root,
    user: join(root, 'home/piton/config.yaml'),
    project: join(root, 'p/.piton/config.yaml'),
    resolve: () =>
      resolveConfig({
        directory: join(root, 'p'),
        env: { XDG_CONFIG_HOME: join(root, 'home') },
        flags: {},
      }),
  };
}

describe.each(['user', 'project'] as const)('the file of the %s', (whose) => {
  const cases: readonly (readonly [string, (file: string) => void, string])[] = [
    ['is too large', (file) => writeFileSync(file, '#'.repeat(1024 * 1024 + 1)), 'larger than 1 MiB'],
    ['is not UTF-8', (file) => writeFileSync(file, Buffer.from([0x61, 0xff, 0xfe])), 'not UTF-8 text'],
    ['is a folder', (file) => mkdirSync(file), 'a folder, not a file'],
    ['is a pipe', (file) => execFileSync('mkfifo', ['-m', '600', file]), 'a device or a pipe, not a file'],
    ['is of a newer version', (file) => writeFileSync(file, 'version: 2\nnews: 1'), 'of a newer Piton'],
    ['has no version', (file) => writeFileSync(file, 'version: new'), 'version must be a whole number'],
    ['stands for far too much', (file) => writeFileSync(file, bomb), 'Excessive alias count'],
  ];

  test.each(cases)('%s', async (_, make, message) => {
    const there = place();
    make(there[whose]);
    const error = (await there.resolve().catch((thrown: unknown) => thrown)) as Error & { code: string };
    expect(error.message).toContain(message);
    expect(error.message).toContain(there[whose]);
    expect(error.code).toBe(message.includes('newer') ? 'CONFIG_TOO_NEW' : 'CONFIG_INVALID');
  });

  test('is a link to a file beside it', async () => {
    const there = place();
    writeFileSync(`${there[whose]}.real`, 'lease: 1m');
    symlinkSync(`${there[whose]}.real`, there[whose]);
    expect((await there.resolve()).leaseMs).toBe(60_000);
  });

  test('is a link that leads nowhere: as if it were not there', async () => {
    const there = place();
    symlinkSync('nowhere', there[whose]);
    expect((await there.resolve()).leaseMs).toBe(30_000);
  });
});

const bomb = `a: &a [x, x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
secrets: [*c, *c, *c]`;

test('the file of a project that is a link out of it is not followed', async () => {
  const { root, project, resolve } = place();
  writeFileSync(join(root, 'private.yaml'), 'lease: 1m');
  symlinkSync(join(root, 'private.yaml'), project);
  await expect(resolve()).rejects.toThrow('it is a link out of the project');
});

test('a file that is another size than it says is being changed, and is not used', async () => {
  const { user, resolve } = place();
  symlinkSync('/proc/self/status', user);
  await expect(resolve()).rejects.toThrow('it changes while it is read');
});

test("others may not write to the user's own file", async () => {
  const { user, resolve } = place();
  writeFileSync(user, 'lease: 1m');
  for (const mode of [0o620, 0o602]) {
    chmodSync(user, mode);
    await expect(resolve()).rejects.toThrow(
      `other users may write to it. Take that away: chmod go-w ${user}`,
    );
  }
  chmodSync(user, 0o644);
  expect((await resolve()).leaseMs).toBe(60_000);
});

test.runIf(process.getuid?.() === 0)("the user's own file belongs to nobody else", async () => {
  const { user, resolve } = place();
  writeFileSync(user, 'lease: 1m');
  chownSync(user, 65_534, 65_534);
  await expect(resolve()).rejects.toThrow('it belongs to another user');
});

test('a relative XDG_CONFIG_HOME does not count: a project could bring such a file', async () => {
  const { root } = place();
  const { files } = await resolveConfig({
    directory: join(root, 'p'),
    env: { XDG_CONFIG_HOME: '.piton', HOME: root },
    flags: {},
  });
  expect(files.user).toBe(join(root, '.config/piton/config.yaml'));
});

describe('whoever drives for long', () => {
  async function watched(act: (there: Place) => void): Promise<string[]> {
    const there = place();
    writeFileSync(there.user, 'lease: 1m');
    const config = await there.resolve();
    const changed: string[] = [];
    const stop = watchConfig(config, (file) => changed.push(file), 5);
    act(there);
    await eventually('a file has changed', () => changed.length > 0);
    stop();
    return changed.map((file) => (file === there.user ? 'user' : 'project'));
  }

  test('is told once that a file has changed', async () => {
    expect(await watched(({ user }) => writeFileSync(user, 'lease: 2m'))).toEqual(['user']);
  });

  test('is told that there is one now', async () => {
    expect(await watched(({ project }) => writeFileSync(project, 'lease: 2m'))).toEqual(['project']);
  });

  test('is not told of one that was written with the same text', async () => {
    const told = await watched(({ user, project }) => {
      writeFileSync(user, 'lease: 1m');
      writeFileSync(project, 'grace: 1s');
    });
    expect(told).toEqual(['project']);
  });
});
