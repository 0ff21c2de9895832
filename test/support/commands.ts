/** Commands that leave a trace in a ledger each time they really run, and what they leave behind. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Appends one line; short ones are written whole, however many write at once. */
const trace = 'printf "%s\\n" "$PITON_TASK" >> ledger';

export interface CommandTask {
  readonly name: string;
  readonly needs?: readonly string[];
  /** Shell text that follows the trace. */
  readonly text?: string;
  readonly onInterrupt?: 'restart' | 'ask';
}

/** Writes `flow.yaml`, whose tasks trace themselves, and are given all of the environment: tests mark processes by it. */
export function writeFlow(folder: string, tasks: readonly CommandTask[]): void {
  const entries = tasks.map(({ name, needs = [], text = ':', onInterrupt = 'restart' }) => {
    const run = `${trace}\n${text}\necho "done ${name}"`;
    return [name, { needs, run, 'on-interrupt': onInterrupt }];
  });
  // JSON is YAML.
  writeFileSync(
    join(folder, 'flow.yaml'),
    JSON.stringify({ name: 'flow', 'inherit-env': true, tasks: Object.fromEntries(entries) }),
  );
}

/** How often each task's command really ran. */
export function executionsOf(folder: string): Record<string, number> {
  const ledger = join(folder, 'ledger');
  const lines = existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').slice(0, -1) : [];
  const counts: Record<string, number> = {};
  for (const line of lines) counts[line] = (counts[line] ?? 0) + 1;
  return counts;
}

/** Living processes that inherited the marker `<name>=1` from a process of the test; zombies are dead. */
export function processesMarked(name: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && isMarked(pid, `${name}=1`));
}

/** Only of our own user, started after the test itself; nothing but the marker is looked for. */
function isMarked(pid: number, marker: string): boolean {
  try {
    if (statSync(`/proc/${pid}`).uid !== process.getuid!()) return false;
    const { state, startTime } = statusOf(pid);
    if ('ZX'.includes(state) || startTime < statusOf(process.pid).startTime) return false;
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(marker);
  } catch {
    return false;
  }
}

function statusOf(pid: number): { readonly state: string; readonly startTime: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0]!, startTime: Number(fields[19]) };
}
