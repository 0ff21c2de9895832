/** The program `sshd`, for tests of places on other machines: installed, or fetched outside of the repository, without root. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { assertOwnFolder, cacheFolder } from '../../src/base/index.ts';

export interface SshProgram {
  readonly file: string;
  /** Where the libraries are that came with it. */
  readonly libraries: string | undefined;
}

/** What it consists of, where the system's packages are of the kind that apt brings. */
const packages = ['openssh-server', 'libwrap0'];

export function sshProgram(): SshProgram {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const installed = folders.map((folder) => join(folder, 'sshd')).find((file) => existsSync(file));
  if (installed !== undefined) return { file: installed, libraries: undefined };
  const folder = process.env['PITON_SSHD'] ?? cacheFolder('test-sshd');
  if (!existsSync(folder)) fetch(folder);
  // It is started as this user: nobody else may have unpacked it.
  assertOwnFolder(folder);
  const file = join(folder, 'usr', 'sbin', 'sshd');
  return { file, libraries: librariesIn(folder) };
}

/** By renaming: another test file may be at it at the same time. */
function fetch(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const draft = mkdtempSync(`${folder}-`);
  try {
    const { status, stderr, error } = spawnSync('apt-get', ['download', ...packages], {
      cwd: draft,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(error?.message ?? stderr);
    for (const name of readdirSync(draft)) execFileSync('dpkg', ['-x', name, '.'], { cwd: draft });
    if (!existsSync(folder)) renameSync(draft, folder);
  } catch (cause) {
    const how = 'Install the OpenSSH server (`sshd`), or name a folder with it unpacked in PITON_SSHD.';
    throw new Error(`These tests need the program sshd, which is neither here nor could be fetched. ${how}`, {
      cause,
    });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function librariesIn(folder: string): string {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const library = found.find((path) => /\/libwrap\.so/.test(path));
  return join(folder, dirname(library ?? 'usr/lib/none'));
}
