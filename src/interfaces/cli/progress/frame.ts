import { moneyText } from '../../../base/index.ts';
import { cleanLine, cutTo, padTo, silenceText, statusSymbol, widthOf } from '../output/index.ts';
import { kindText, resourceName } from './agent-words.ts';
import type { Tone } from './describe-event.ts';
import { estimateLeft } from './estimate.ts';
import { taskTree, type TreeRow } from './task-tree.ts';
import type { TaskCounts, WatchedAttempt, WatchedRun, WatchedTask } from '../../../library/index.ts';

/** One line of a frame: never wider than the terminal, painted by whoever prints it. */
export interface FrameLine {
  readonly tone: Tone;
  readonly text: string;
}

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

export interface FrameOptions extends FrameSize {
  readonly now: number;
  /** The last line a process has printed, if there is one. */
  lastLine(attempt: string): string | undefined;
  /** When it last printed anything. */
  lastOutputAt?(attempt: string): number | undefined;
}

/** Rows that are left to what is above the frame, whatever the size of the terminal. */
const spareRows = 2;
const widestBar = 30;

/** What is on the screen of a run under way: what runs or waits, and how far it all is. */
export function drawFrame(view: WatchedRun, options: FrameOptions): FrameLine[] {
  // The last column stays free: some terminals go to the next line as soon as it is written to.
  const columns = Math.max(options.columns - 1, 1);
  const counts = view.counts;
  const room = Math.max(options.rows - spareRows - 1, 1);
  return [
    ...drawTasks(view, { ...options, columns, rows: room }),
    drawFooter(view, counts, { ...options, columns }),
  ];
}

const order = { running: 0, held: 1, delayed: 2 } as const;
type Shown = WatchedTask & { status: keyof typeof order };

function drawTasks(view: WatchedRun, options: FrameOptions): FrameLine[] {
  const rows = taskTree([...view.tasks()], isShown, (task) => order[task.status as Shown['status']]);
  const fits = rows.length <= options.rows ? rows.length : options.rows - 1;
  const shown = rows.slice(0, fits);
  const nameWidth = Math.min(
    Math.max(...shown.map((row) => widthOf(row.name) + 2 * row.depth), 0),
    Math.floor(options.columns * 0.4),
  );
  const drawn = shown.map((row) => drawRow(row, nameWidth, options));
  const left = rows.slice(fits).reduce((count, row) => count + ('task' in row ? 1 : (row.hidden ?? 0)), 0);
  if (left === 0) return drawn;
  return [...drawn, { tone: 'quiet', text: cutTo(`  … and ${left} more that run or wait`, options.columns) }];
}

function isShown(line: WatchedTask): line is Shown {
  return !line.isGroup && line.status in order;
}

function drawRow(row: TreeRow, nameWidth: number, options: FrameOptions): FrameLine {
  const indent = '  '.repeat(row.depth);
  const room = Math.max(nameWidth - indent.length, 1);
  const name = padTo(cutTo(cleanLine(row.name), room), room);
  if (!('task' in row)) {
    const symbol = row.hidden === undefined ? '▼' : ' ';
    return {
      tone: 'quiet',
      text: cutTo(`${indent}${symbol} ${name}  ${row.words}`.trimEnd(), options.columns),
    };
  }
  const { symbol, tone, words } = wordsOf(row.task as Shown, options);
  return { tone, text: cutTo(`${indent}${symbol} ${name}  ${words}`.trimEnd(), options.columns) };
}

interface Words {
  readonly symbol: string;
  readonly tone: Tone;
  readonly words: string;
}

function wordsOf(line: Shown, options: FrameOptions): Words {
  const reason = cleanLine(line.reason ?? '');
  const symbol = statusSymbol(line.status);
  switch (line.status) {
    case 'running':
      return { symbol, tone: 'plain', words: runningWords(line, options) };
    case 'held':
      return { symbol, tone: 'warning', words: `waits for you: ${reason}` };
    case 'delayed': {
      const left = Math.max((line.until ?? 0) - options.now, 0);
      return { symbol, tone: 'warning', words: `in ${formatElapsed(left)}: ${reason}` };
    }
  }
}

function runningWords(line: WatchedTask, { now, lastLine, lastOutputAt }: FrameOptions): string {
  const { attempt, spec } = line;
  if (attempt === undefined) return '';
  // What an agent prints is for machines; its setup and check are commands like any other.
  const isAgent = spec.work.type === 'agent' && (attempt.kind ?? 'revision') === 'revision';
  const last = isAgent ? attempt.last : lastLine(attempt.id);
  const silence = isAgent ? silenceText(lastOutputAt?.(attempt.id), now) : undefined;
  const said = [silence, cleanLine(last ?? '')].filter(Boolean).join(' · ');
  return `${kindWords(line, attempt)}${formatElapsed(now - attempt.startedAt)}  ${said}`;
}

function kindWords(line: WatchedTask, { kind, number }: WatchedAttempt): string {
  const { revisions, isConflicting } = line;
  if (kind === 'revision' && isConflicting) return 'resolves its conflict  ';
  if (kind === 'revision' && revisions !== undefined) return `revision ${revisions}  `;
  if (kind !== undefined && kind !== 'revision') return `is ${kindText(kind, line)}  `;
  return number > 1 ? `attempt ${number}  ` : '';
}

function drawFooter(
  view: WatchedRun,
  counts: TaskCounts,
  { columns, now }: { readonly columns: number; readonly now: number },
): FrameLine {
  const words = [...footerWords(view, counts), formatElapsed(now - view.drivenSince)];
  const left = estimateLeft(view, counts, now);
  if (left !== undefined) words.push(`about ${formatElapsed(left)} left`);
  const text = words.join(' · ');
  const barWidth = Math.min(columns - widthOf(text) - 3, widestBar);
  const bar = hasKnownEnd(view) && barWidth >= 5 ? `${drawBar(counts, barWidth)} ` : '';
  return { tone: 'plain', text: cutTo(bar + text, columns) };
}

function footerWords(view: WatchedRun, counts: TaskCounts): string[] {
  const words = hasKnownEnd(view)
    ? [`${percentOf(counts)}%`, `${counts.settled}/${counts.total} done`]
    : [`${counts.settled} steps done`];
  for (const status of ['running', 'delayed', 'held', 'failed'] as const) {
    if (counts[status] > 0) words.push(`${counts[status]} ${status}`);
  }
  if (view.status === 'paused') words.push('paused');
  const cost = view.usage?.costUsd;
  if (cost !== undefined && cost > 0) words.push(`${moneyText(cost)} so far`);
  for (const resource of view.down) words.push(`${cleanLine(resourceName(resource))} down`);
  return words;
}

/** How many steps a graph takes is known when it has ended. */
function hasKnownEnd({ workflow }: WatchedRun): boolean {
  return workflow?.form !== 'graph';
}

/** 100 only when everything has settled. */
export function percentOf({ settled, total }: TaskCounts): number {
  return total === 0 ? 0 : Math.floor((settled * 100) / total);
}

function drawBar({ settled, total }: TaskCounts, width: number): string {
  const full = total === 0 ? 0 : Math.floor((settled * width) / total);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

/** Whole seconds: what changes ten times a second cannot be read. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(Math.round(ms / 1_000), 0);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
  return `${Math.floor(seconds / 3_600)}h${String(Math.floor((seconds % 3_600) / 60)).padStart(2, '0')}m`;
}
