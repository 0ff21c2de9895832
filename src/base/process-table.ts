import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { systemClock } from './clock.ts';
import { errorField } from './errors.ts';
import { withOwnPath } from './find-tool.ts';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** 0 where the system does not tell. */
  readonly session: number;
  /** As in ProcessIdentity. */
  readonly startTime: string;
}

const isLinux = process.platform === 'linux';

/** Start times are told in hundredths of a second on Linux and in seconds by `ps`. */
const toleranceMs = isLinux ? 100 : 1_000;

/** Now, by the clock that start times are told in: since boot on Linux, wall clock elsewhere. */
export function processClockMs(): number {
  return isLinux ? Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000 : systemClock.now();
}

export function startedMs(startTime: string): number {
  return isLinux ? Number(startTime) * 10 : Date.parse(`${startTime} UTC`);
}

/** The living processes of this user that started after the given time; zombies are dead. */
export function processesSince(bornMs: number): ProcessEntry[] {
  return isLinux ? linuxProcesses(bornMs - toleranceMs) : psProcesses(bornMs - toleranceMs);
}

function linuxProcesses(bornMs: number): ProcessEntry[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const stat = readProcess(pid, 'stat')?.toString('latin1');
    if (stat === undefined) return [];
    // The command name may contain spaces and parentheses: fields are counted after its last ')'.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group, session] = fields;
    const startTime = fields[19]!;
    if ('ZX'.includes(state!) || startedMs(startTime) < bornMs || !isOurs(pid)) return [];
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session), startTime },
    ];
  });
}

/** From `status`, since the owner of the folder is root for every process that has forbidden to be traced. */
function isOurs(pid: string): boolean {
  const effective = /^Uid:\s+\d+\s+(\d+)/m.exec(readProcess(pid, 'status')?.toString('latin1') ?? '')?.[1];
  return Number(effective) === process.geteuid!();
}

function psProcesses(bornMs: number): ProcessEntry[] {
  const text = ps('pid=,ppid=,pgid=,uid=,state=,lstart=');
  return text.split('\n').flatMap((line) => {
    const [pid, parent, group, uid, state, ...started] = line.trim().split(/\s+/);
    const startTime = started.join(' ');
    const isRecent = startedMs(startTime) >= bornMs;
    if (state === undefined || state.startsWith('Z') || !isRecent || Number(uid) !== process.geteuid!())
      return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, startTime }];
  });
}

/** Whether the process carries the variable. Nothing of what is read is kept: environments hold secrets. */
export function hasVariable(pid: number, name: string): boolean {
  if (!isLinux) return false;
  const environment = readProcess(pid, 'environ');
  if (environment === undefined) return false;
  const at = environment.indexOf(`${name}=`, 0, 'latin1');
  return at === 0 || (at > 0 && environment[at - 1] === 0);
}

/** Whether any living process of this user carries the variable. */
export function isCarried(name: string): boolean {
  return processesSince(0).some(({ pid }) => hasVariable(pid, name));
}

/** Monitors of a sandbox: asked to end, they take all that is in it with them at once. */
export function isMonitor(pid: number): boolean {
  return isLinux && readProcess(pid, 'comm')?.toString('latin1') === 'bwrap\n';
}

export function commandLineOf(pid: number): string {
  if (isLinux) return readProcess(pid, 'cmdline')?.toString('utf8').replaceAll('\0', ' ') ?? '';
  return ps('command=', ['-ww', '-p', String(pid)]);
}

/** This process and all above it. */
export function ownLine(): Set<number> {
  const line = new Set<number>();
  for (let pid = process.pid; pid > 0 && !line.has(pid); pid = parentOf(pid)) line.add(pid);
  return line;
}

function parentOf(pid: number): number {
  if (!isLinux) return Number(ps('ppid=', ['-p', String(pid)]));
  const stat = readProcess(String(pid), 'stat')?.toString('latin1') ?? '';
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

/** Undefined if it is gone, or not ours to read. */
function readProcess(pid: number | string, file: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`);
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(String(errorField(error as Error, 'code'))))
      return undefined;
    throw error;
  }
}

function ps(columns: string, selection: readonly string[] = ['-ax']): string {
  try {
    const env = { ...withOwnPath(process.env), LC_ALL: 'C', TZ: 'UTC' };
    return execFileSync('ps', [...selection, '-o', columns], { encoding: 'utf8', env });
  } catch (error) {
    // It ends with 1 if it finds nothing.
    if ((error as { status?: unknown }).status === 1) return '';
    throw error;
  }
}
