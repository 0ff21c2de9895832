import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { withOwnPath } from '../../base/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { bad, ok, warn, type DoctorCheck } from './check.ts';

const leastFreeBytes = 64 * 1024 * 1024;
const comfortableBytes = 1024 * 1024 * 1024;

/** What Piton needs of the machine it runs on. */
export function checkMachine({ config, env }: Pick<Surroundings, 'config' | 'env'>): DoctorCheck[] {
  return [
    ok('Node', process.versions.node),
    ok('SQLite', process.versions.sqlite ?? 'unknown'),
    checkShell(),
    checkGit(env),
    checkFolder(config.folder),
    checkRoom(nearestFolder(config.folder)),
    checkFileSystem(nearestFolder(config.folder)),
  ];
}

function checkShell(): DoctorCheck {
  const { status, error } = spawnSync('/bin/sh', ['-c', 'exit 7']);
  if (status === 7) return ok('sh', '/bin/sh works');
  const why = error?.message ?? `it ended with ${status}`;
  return bad(
    'sh',
    `/bin/sh does not work: ${why}`,
    'Commands are started by it: install a POSIX shell as /bin/sh.',
  );
}

function checkGit(env: Surroundings['env']): DoctorCheck {
  const { status, stdout } = spawnSync('git', ['--version'], { env: withOwnPath(env), encoding: 'utf8' });
  if (status === 0) return ok('git', stdout.trim().replace(/^git version /, ''));
  return warn('git', 'not found', 'Nothing here needs it but your own commands.');
}

/** Where it is not there yet, the folder that it would be made in counts. */
function checkFolder(folder: string): DoctorCheck {
  const nearest = nearestFolder(folder);
  const remedy = 'Make it a folder that you may write to.';
  if (!statSync(nearest).isDirectory()) return bad('folder', `${nearest} is no folder`, remedy);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    return ok('folder', `${nearest} can be written to`);
  } catch {
    return bad('folder', `you may not write to ${nearest}`, remedy);
  }
}

function checkRoom(folder: string): DoctorCheck {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${Math.floor(free / 1024 / 1024)} MiB free in ${folder}`;
  if (free < leastFreeBytes)
    return bad('room', text, 'Nothing new is started until there is more: make room.');
  return free < comfortableBytes ? warn('room', text, 'Make room before it gets tight.') : ok('room', text);
}

const remote = /^(?:nfs\d?|cifs|smb\d?|smbfs|afs|9p|fuse\.sshfs|glusterfs|ceph|lustre|davfs)$/;

function checkFileSystem(folder: string): DoctorCheck {
  const type = fileSystemOf(folder);
  if (type === undefined) return ok('file system', 'not known here; the store looks for itself');
  if (!remote.test(type)) return ok('file system', `${type}, local`);
  return bad(
    'file system',
    `${folder} is on the network (${type})`,
    'Keep the project, or --store, on a local disk.',
  );
}

/** By the longest mount point that the folder is under; Linux only. */
function fileSystemOf(folder: string): string | undefined {
  if (!existsSync('/proc/self/mountinfo')) return undefined;
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => ({ point: line.split(' ')[4] ?? '', type: / - (\S+)/.exec(line)?.[1] }))
    .filter(({ point }) => point !== '' && `${folder}/`.startsWith(point === '/' ? '/' : `${point}/`));
  return mounts.sort((a, b) => a.point.length - b.point.length).at(-1)?.type;
}

function nearestFolder(folder: string): string {
  return existsSync(folder) ? resolve(folder) : nearestFolder(dirname(folder));
}
