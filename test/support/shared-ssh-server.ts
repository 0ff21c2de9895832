/** One server for all tests of a file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { startSshServer, type SshServer } from './ssh-server.ts';

let home: string | undefined;
let starting: Promise<SshServer> | undefined;

afterAll(async () => {
  (await starting)?.end();
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

export function sharedSshServer(): Promise<SshServer> {
  home ??= mkdtempSync(join(tmpdir(), 'piton-'));
  return (starting ??= startSshServer(home));
}
