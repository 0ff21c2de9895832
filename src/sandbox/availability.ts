import { execFile } from 'node:child_process';
import { findTool, isExecutable } from '../base/index.ts';
import { isolation } from './bubblewrap.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type Availability =
  | { readonly by: 'bubblewrap' | 'seatbelt'; readonly program: string }
  | { readonly by: 'none'; readonly why: string; readonly remedy: string };

const remedyInstall = 'Install bubblewrap 0.8 or newer (apt-get install bubblewrap), or say `sandbox: off`.';
const patienceMs = 10_000;

/** Tried, not believed: in containers, and where user namespaces are forbidden, the program is there and cannot do it. */
export async function findSandbox(
  env: Environment,
  platform: string = process.platform,
): Promise<Availability> {
  if (platform === 'darwin') return seatbelt('/usr/bin/sandbox-exec');
  if (platform !== 'linux') {
    return { by: 'none', why: `there is none for ${platform}`, remedy: 'Say `sandbox: off`.' };
  }
  const program = env['PITON_BWRAP'] ?? findTool('bwrap', env['PATH']);
  if (program === undefined) return { by: 'none', why: 'bwrap is not installed', remedy: remedyInstall };
  const trouble = await tryOut(program);
  return trouble === undefined ? { by: 'bubblewrap', program } : explain(trouble);
}

function seatbelt(program: string): Availability {
  if (isExecutable(program)) return { by: 'seatbelt', program };
  return { by: 'none', why: `${program} is not there`, remedy: 'Say `sandbox: off`.' };
}

function tryOut(program: string): Promise<string | undefined> {
  const args = [
    ...isolation,
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--',
    '/bin/sh',
    '-c',
    ':',
  ];
  return new Promise((done) => {
    execFile(program, args, { timeout: patienceMs, env: { LC_ALL: 'C' } }, (error, _, stderr) =>
      done(error === null ? undefined : stderr.trim() || error.message),
    );
  });
}

function explain(trouble: string): Availability {
  if (/ENOENT/.test(trouble)) return { by: 'none', why: 'bwrap is not installed', remedy: remedyInstall };
  if (/unknown option/i.test(trouble)) {
    return { by: 'none', why: `this bwrap is too old (${firstLine(trouble)})`, remedy: remedyInstall };
  }
  const remedy =
    'Allow user namespaces (kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, or a profile for bwrap), or say `sandbox: off`.';
  return { by: 'none', why: `bwrap cannot do it here (${firstLine(trouble)})`, remedy };
}

function firstLine(text: string): string {
  return text.split('\n')[0]!.slice(0, 200);
}
