/** Another machine that is this one: an sshd of our own, on a free port, for the current user, with keys of its own. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { RemoteMachine } from '../../src/model/index.ts';
import { eventually } from './eventually.ts';
import { sshProgram } from './ssh-program.ts';

export interface SshServer {
  readonly machine: RemoteMachine & { readonly folder: string };
  /** Pids of the processes that serve a connection just now: ending one cuts it. */
  connections(): readonly number[];
  /** Nobody is reached any more; connections that are open stay. */
  close(): void;
  reopen(): Promise<void>;
}

export async function startSshServer(folder: string): Promise<SshServer> {
  const [hostKey, userKey] = [makeKey(folder, 'host'), makeKey(folder, 'user')];
  const port = await freePort();
  writeFileSync(join(folder, 'allowed'), readFileSync(`${userKey}.pub`), { mode: 0o600 });
  const words = readFileSync(`${hostKey}.pub`, 'utf8').split(' ');
  writeFileSync(join(folder, 'known'), `[127.0.0.1]:${port} ${words[0]} ${words[1]}\n`);
  writeFileSync(join(folder, 'sshd_config'), settings({ folder, port, hostKey }));
  let server = await start(folder, port);
  return {
    machine: {
      host: `${userInfo().username}@127.0.0.1`,
      folder: join(folder, 'there'),
      ssh: sshOptions({ folder, port, userKey }),
    },
    connections: () => descendants(server.pid!),
    close: () => server.kill('SIGTERM'),
    reopen: async () => {
      server = await start(folder, port);
    },
  };
}

function makeKey(folder: string, name: string): string {
  const file = join(folder, `${name}-key`);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  return file;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function settings({ folder, port, hostKey }: { folder: string; port: number; hostKey: string }): string {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${join(folder, 'allowed')}`,
    `PidFile ${join(folder, 'sshd.pid')}`,
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'StrictModes no',
    'UsePAM no',
    'MaxStartups 100',
    '',
  ].join('\n');
}

function sshOptions({ folder, port, userKey }: { folder: string; port: number; userKey: string }): string[] {
  const options = [
    'IdentitiesOnly=yes',
    `UserKnownHostsFile=${join(folder, 'known')}`,
    'GlobalKnownHostsFile=/dev/null',
    'StrictHostKeyChecking=yes',
    // The usual one takes much longer to compute.
    'KexAlgorithms=curve25519-sha256',
  ];
  return ['-F', 'none', '-p', String(port), '-i', userKey, ...options.flatMap((option) => ['-o', option])];
}

async function start(folder: string, port: number): Promise<ChildProcess> {
  const { file, libraries } = sshProgram();
  const args = ['-D', '-e', '-f', join(folder, 'sshd_config')];
  const [command, ...words] = commandFor(folder, [file, ...args]);
  let said = '';
  const server = spawn(command!, words, {
    env: { PATH: process.env['PATH'], ...(libraries !== undefined && { LD_LIBRARY_PATH: libraries }) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server.stderr.on('data', (piece: Buffer) => (said += piece.toString()));
  server.unref();
  (server.stderr as Socket).unref();
  await eventually('sshd answers', async () => {
    if (server.exitCode !== null) throw new Error(`sshd has ended: ${said}`);
    return isAnswered(port);
  });
  return server;
}

/**
 * As root, sshd wants a user and a folder of its own, which are there where it was installed. Elsewhere it is shown them, in a
 * view of the file system that nobody else has.
 */
function commandFor(folder: string, command: readonly string[]): readonly string[] {
  const users = readFileSync('/etc/passwd', 'utf8');
  if (userInfo().uid !== 0 || (/^sshd:/m.test(users) && existsSync('/run/sshd'))) return command;
  const file = join(folder, 'passwd');
  writeFileSync(file, `${users}sshd:x:64999:65534::/run/sshd:/usr/sbin/nologin\n`);
  const script = `mount --bind '${file}' /etc/passwd && mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec "$@"`;
  return ['unshare', '-m', 'sh', '-c', script, 'sshd', ...command];
}

function isAnswered(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = createConnection(port, '127.0.0.1');
  socket.once('data', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** The sshd processes below one, children first: what they have started is not among them. */
function descendants(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = all.filter((name) => parentOf(name) === pid && isServer(name)).map(Number);
  return children.flatMap((child) => [...descendants(child), child]);
}

function parentOf(pid: string): number | undefined {
  const stat = readProcess(pid, 'stat');
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function isServer(pid: string): boolean {
  return readProcess(pid, 'comm')?.startsWith('sshd') === true;
}

function readProcess(pid: string, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
