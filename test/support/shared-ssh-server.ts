/** One server for all tests of a worker: test files share their modules, and so none of them may end it. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSshServer, type SshServer } from './ssh-server.ts';

let starting: Promise<SshServer> | undefined;

export function sharedSshServer(): Promise<SshServer> {
  return (starting ??= startShared());
}

async function startShared(): Promise<SshServer> {
  const home = mkdtempSync(join(tmpdir(), 'piton-'));
  endWithThisProcess(home);
  return startSshServer(home);
}

/** However the worker ends, its end of the pipe is closed. */
function endWithThisProcess(home: string): void {
  const script = 'cat >/dev/null; kill "$(cat "$0/sshd.pid")"; rm -rf "$0"';
  const guard = spawn('sh', ['-c', script, home], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  guard.unref();
  (guard.stdin as Socket).unref();
}
