import { chmodSync, chownSync, mkdirSync, mkdtempSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makePrivateFolder, stateFolder } from '../../src/base/index.ts';

const fresh = (): string => mkdtempSync(join(tmpdir(), 'piton-folders-'));

describe("Folders of this user's own", () => {
  test('lie in the state folder of the user, which the environment can name', () => {
    expect(stateFolder('trust', { XDG_STATE_HOME: '/states', HOME: '/home/me' })).toBe('/states/piton/trust');
    expect(stateFolder('trust', { XDG_STATE_HOME: '', HOME: '/home/me' })).toBe(
      '/home/me/.local/state/piton/trust',
    );
  });

  test('are made so that nobody else can look into them, also where they are there already', () => {
    const folder = join(fresh(), 'a', 'b');
    makePrivateFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    chmodSync(folder, 0o755);
    makePrivateFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('are refused where a link leads elsewhere', () => {
    const [folder, elsewhere] = [join(fresh(), 'link'), fresh()];
    chmodSync(elsewhere, 0o755);
    symlinkSync(elsewhere, folder);
    expect(() => makePrivateFolder(folder)).toThrow(expect.objectContaining({ code: 'FOLDER_UNSAFE' }));
    expect(statSync(elsewhere).mode & 0o777).toBe(0o755);
  });

  test.runIf(process.getuid?.() === 0)('are refused where they belong to somebody else', () => {
    const folder = join(fresh(), 'theirs');
    mkdirSync(folder);
    chownSync(folder, 12345, 12345);
    expect(() => makePrivateFolder(folder)).toThrow(/belongs to another user/);
  });
});
