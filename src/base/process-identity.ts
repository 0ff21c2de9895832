import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { execFileSync } from 'node:child_process';
import { hasCode } from './errors.ts';
import { withOwnPath } from './find-tool.ts';

/** Names one process for good: a pid alone is reused, and start times repeat after a reboot. */
export interface ProcessIdentity {
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startTime: string;
}

export function ownIdentity(): ProcessIdentity {
  return (own ??= Object.freeze({
    host: hostname(),
    bootId: bootId(),
    pidNamespace: pidNamespace(),
    pid: process.pid,
    startTime: processStatus(process.pid)?.startTime ?? '',
  }));
}
let own: ProcessIdentity | undefined;

/** The process that has this pid now, a zombie included; undefined if there is none. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const status = processStatus(pid);
  return status && Object.freeze({ ...ownIdentity(), pid, startTime: status.startTime });
}

/** `unknown`: on another host or in another pid namespace, or the system would not tell. */
export type Liveness = 'alive' | 'stopped' | 'dead' | 'unknown';

export function livenessOf(other: ProcessIdentity): Liveness {
  const here = ownIdentity();
  if (other.host !== here.host) return 'unknown';
  if (other.bootId !== here.bootId) return 'dead';
  if (other.pidNamespace !== here.pidNamespace) return 'unknown';
  const status = statusUnlessHidden(other.pid);
  if (status === 'hidden') return 'unknown';
  if (status === undefined || status.startTime !== other.startTime || 'ZX'.includes(status.state))
    return 'dead';
  return 'Tt'.includes(status.state) ? 'stopped' : 'alive';
}

interface ProcessStatus {
  /** The letter of proc(5): R, S, D, T (stopped), t (traced), Z (zombie), X (dead). */
  readonly state: string;
  readonly startTime: string;
}

/** That we could not look (too many open files) must not pass for death: whoever is taken for dead is replaced. */
function statusUnlessHidden(pid: number): ProcessStatus | undefined | 'hidden' {
  try {
    return processStatus(pid);
  } catch {
    return 'hidden';
  }
}

function processStatus(pid: number): ProcessStatus | undefined {
  return process.platform === 'linux' ? linuxStatus(pid) : psStatus(pid);
}

function linuxStatus(pid: number): ProcessStatus | undefined {
  const stat = readProcessFile(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name may contain spaces and parentheses: fields are counted after its last ')'.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0]!, startTime: fields[19]! };
}

function readProcessFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}

/** The time is printed in a fixed zone and language, else two processes would name the same third one differently. */
function psStatus(pid: number): ProcessStatus | undefined {
  const env = { ...withOwnPath(process.env), LC_ALL: 'C', TZ: 'UTC' };
  try {
    const ps = ['-o', 'state=,lstart=', '-p', String(pid)];
    const line = execFileSync('ps', ps, { encoding: 'utf8', env }).trim();
    const [state = '', ...started] = line.split(/\s+/);
    return { state: state[0]!, startTime: started.join(' ') };
  } catch (error) {
    // It ends with 1 if there is no such process.
    if ((error as { status?: unknown }).status === 1) return undefined;
    throw error;
  }
}

function bootId(): string {
  const linux = readText('/proc/sys/kernel/random/boot_id')?.trim();
  if (linux !== undefined) return linux;
  try {
    return execFileSync('sysctl', ['-n', 'kern.boottime'], {
      encoding: 'utf8',
      env: withOwnPath(process.env),
    }).trim();
  } catch {
    return 'unknown-boot';
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return 'host';
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
