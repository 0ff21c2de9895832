import { shellWord, plural } from '../../../base/index.ts';
import type { WatchedRun, WatchedTask } from '../../../library/index.ts';
import { usageText } from '../conversation/index.ts';
import type { Output, Style } from '../output/index.ts';
import { cleanLine, cutTo, reasonLine, spanText } from '../output/index.ts';
import { commandFor, shortCommands } from '../command-for.ts';
import { jsonLine } from '../task-lines.ts';
import type { Ended, Ending } from './ending.ts';

/** What became of a run, in a few lines; the last one says what to do next. */
export function printSummary(output: Output, { ending, view }: Ended): void {
  const { style } = output;
  output.print();
  output.print(headline(style, ending, view));
  output.print(`  ${countsLine(view)}`);
  const branch = branchLine(ending, view);
  if (branch !== undefined) output.print(`  ${branch}`);
  const usage = view.usage;
  if (usage !== undefined) output.print(`  agents used ${usageText(usage)}`);
  if (view.outputs !== undefined) output.print(`  outputs: ${jsonLine(view.outputs)}`);
  for (const line of troubleLines(view)) output.print(`  ${line}`);
  const isRemoved = ending === 'succeeded' && isToBeRemoved(view);
  if (isRemoved)
    output.print(
      '  it is removed (preserve: remove-on-success), unless its workspaces or the budget of the day need it',
    );
  const [first, ...others] = isRemoved ? (['piton list'] as const) : nextCommands(ending, view);
  output.next(first, ...others);
}

/** Its workflow says so, and nothing of its work is on a branch. */
function isToBeRemoved({ workflow, hasWork }: WatchedRun): boolean {
  return workflow?.checkpoint.preserve === 'remove-on-success' && !hasWork;
}

/** Nothing of it is in the person's own checkout before they say so. */
function branchLine(ending: Ending, { branch, hasWork, isUndelivered }: WatchedRun): string | undefined {
  if (branch === undefined) return undefined;
  if (!hasWork) return ending === 'succeeded' ? 'its tasks have changed no files' : undefined;
  const name = shellWord(branch);
  return ending === 'succeeded' || isUndelivered
    ? `its work is in the branch ${name}`
    : `what is done so far is in the branch ${name}`;
}

const headlines: Readonly<Record<Ending, { readonly colour: keyof Style; readonly text: string }>> = {
  succeeded: { colour: 'green', text: 'succeeded' },
  failed: { colour: 'red', text: 'failed' },
  cancelled: { colour: 'yellow', text: 'was cancelled' },
  waiting: { colour: 'magenta', text: 'waits for you' },
  stopped: { colour: 'yellow', text: 'was stopped; it can go on' },
  left: { colour: 'blue', text: 'goes on without us' },
  abandoned: { colour: 'yellow', text: 'has not ended, and nobody drives it' },
  lost: { colour: 'red', text: 'is not driven here any more' },
};

function headline(style: Style, ending: Ending, view: WatchedRun): string {
  const { colour, text } = headlines[ending];
  // As the times of the lines above it, and as `status` tells it. Of one that goes on it would be the time until the last news.
  const took = ending === 'left' ? '' : ` (${spanText(Math.max(view.at - view.createdAt, 0))})`;
  const why = view.reason === undefined ? '' : `: ${reasonLine(view.reason)}`;
  const name = cleanLine(view.workflow?.name ?? 'unknown');
  return `${style.bold(`Run ${view.run}`)} of ${name} ${style[colour](text)}${took}${why}`;
}

function countsLine(view: WatchedRun): string {
  const counts = view.counts;
  const { settledBefore, adopted, harvested, restarted } = view.found;
  const parts = [
    ...(['succeeded', 'failed', 'skipped', 'cancelled', 'held', 'delayed'] as const).map(
      (status) => [counts[status], status] as const,
    ),
    [counts.pending + counts.queued + counts.running, 'to do'] as const,
  ];
  const found = [
    [settledBefore, 'done before'],
    [adopted.size, 'adopted'],
    [harvested.size, 'harvested'],
    [restarted.size, 'restarted'],
  ] as const;
  return [`${plural(counts.total, 'task')}: ${listOf(parts)}`, listOf(found)]
    .filter((text) => text !== '')
    .join(' · ');
}

function listOf(parts: readonly (readonly [number, string])[]): string {
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}

const mostTroubles = 10;
const widestReason = 300;

/** Each task that failed and why, each that waits for a person and what can be done about it. */
function troubleLines(view: WatchedRun): string[] {
  const { run } = view;
  const troubles = [...view.tasks()].filter(
    ({ status, isGroup }) => !isGroup && (status === 'failed' || status === 'held'),
  );
  const told = troubles
    .slice(0, mostTroubles)
    .flatMap(({ address, status, reason = '', actions = [] }) => [
      `${status === 'failed' ? '✗' : '?'} ${cleanLine(address)}: ${cutTo(reasonLine(reason), widestReason)}`,
      ...(status === 'held' ? shortCommands(actions, run, address).map((command) => `    ${command}`) : []),
    ]);
  const more = troubles.length - mostTroubles;
  return more > 0 ? [...told, `… and ${more} more: piton status ${shellWord(run)}`] : told;
}

function nextCommands(ending: Ending, view: WatchedRun): readonly [string, ...string[]] {
  const { run } = view;
  const id = shellWord(run);
  switch (ending) {
    case 'waiting':
      return [heldCommand(view) ?? 'piton inbox'];
    case 'failed':
      return failedCommands(view) ?? [`piton show ${id}`];
    case 'stopped':
    case 'abandoned':
      return [`piton resume ${id}`];
    case 'left':
    case 'lost':
      return [`piton attach ${id}`];
    case 'succeeded':
      return succeededCommands(view);
    default:
      return [`piton show ${id}`];
  }
}

/** What was handed over already needs no hint. */
function succeededCommands({ run, hasWork, isDelivered }: WatchedRun): [string, ...string[]] {
  const id = shellWord(run);
  const isOpen = hasWork && !isDelivered;
  return isOpen ? [`piton diff ${id}`, `piton merge ${id}`] : [`piton show ${id}`];
}

function heldCommand(view: WatchedRun): string | undefined {
  const held = [...view.tasks()].find(
    ({ status, actions }) => status === 'held' && actions?.[0] !== undefined,
  );
  return held && commandFor(held.actions![0]!, view.run, held.address);
}

function failedCommands(view: WatchedRun): [string, ...string[]] | undefined {
  const { run } = view;
  if (view.isUndelivered) return undeliveredCommands(view);
  const id = shellWord(run);
  const all = [...view.tasks()];
  const failed = all.filter(({ status, isGroup }) => status === 'failed' && !isGroup);
  // What was allowed to fail stopped nothing: to do that again would be to do again all that came of it.
  const inTheWay = failed.filter(({ spec }) => !spec.continueOnError);
  const chosen = inTheWay.length > 0 ? inTheWay : failed;
  const [first, ...others] = chosen.map(({ address }) => address);
  if (first === undefined) return undefined;
  const redo = view.rerunsSucceeded([first, ...others]) ? ' --redo' : '';
  const mayBeDone = others.length === 0 && chosen[0]!.spec.onInterrupt === 'ask';
  // What was cancelled because of them can also be done without them.
  const isSkippable = others.length < mostNamed && all.some(({ status }) => status === 'cancelled');
  return [
    whyCommand(run, chosen[0]!),
    // One of several would be stopped again by the others.
    `${others.length === 0 ? commandFor('retry', run, first) : `piton retry ${id}`}${redo}`,
    ...(mayBeDone ? [`${commandFor('done', run, first)}${redo}`] : []),
    ...(isSkippable
      ? [`${[commandFor('skip', run, first), ...others.map(shellWord)].join(' ')}${redo}`]
      : []),
  ];
}

/** What was never begun, such as a gate that was rejected, has printed nothing. */
function whyCommand(run: string, { address, attempt }: WatchedTask): string {
  return commandFor(attempt === undefined ? 'show' : 'logs', run, address);
}

/** Nothing is to be done again: the work is there, and can be taken in several ways. */
function undeliveredCommands(view: WatchedRun): [string, ...string[]] {
  const id = shellWord(view.run);
  return [`piton pr ${id}`, `piton merge ${id}`];
}

const mostNamed = 3;
