import type { AttemptView, DriveView, LeftAttempt, RunView, Timeline } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { cleanLine, clockText, dayText, spanText, statusSymbol, type Cell } from '../output/index.ts';

interface Row {
  /** Absent: it belongs to the row above. */
  readonly at?: number;
  readonly took?: number;
  readonly text: string;
}

/** Who drove a run when, what ran meanwhile, and what became of what was left under way. */
export function printTimeline({ output, now }: Context, timeline: Timeline, view: RunView): void {
  const paint = output.style.dim;
  let day = '';
  const rows = rowsOf(timeline, view, now()).flatMap(({ at, took, text }): (Cell | string)[][] => {
    const time = { text: at === undefined ? '' : clockText(at), paint };
    const row = [time, { text: took === undefined ? '' : spanText(took), paint }, text];
    if (at === undefined || dayText(at) === day) return [row];
    day = dayText(at);
    return [[{ text: day, paint }], row];
  });
  output.table(rows, { head: ['time', 'took', 'what'] });
}

function rowsOf({ drives, gaps, attempts }: Timeline, view: RunView, now: number): Row[] {
  const names = new Map(attempts.map((attempt) => [attempt.attempt, nameOf(attempt)]));
  return drives.flatMap((drive, index) => {
    const from = index === 0 ? -Infinity : drive.from;
    const to = drives[index + 1]?.from ?? Infinity;
    const begun = attempts.filter(({ startedAt }) => startedAt >= from && startedAt < to);
    const gap = gaps.find((each) => each.from === drive.to && each.to === to);
    const isVisit = isVisitAfter(drive, drives[index - 1]) && begun.length === 0;
    const verb = index === 0 ? 'begins' : 'takes it up';
    return [
      { at: drive.from, text: `${whoseText(drive)} ${isVisit ? `${verb}, and lets go` : verb}` },
      ...begun.map((attempt) => attemptRow(attempt, view, now)),
      ...(isVisit ? [] : endRows(drive, view, now)),
      ...drive.left.map((left) => ({ text: `  ${leftText(left, names)}` })),
      ...(gap === undefined ? [] : [{ took: gap.to - gap.from, text: 'nobody drives it' }]),
    ];
  });
}

/** It has made one commit, such as a merge, and neither begun nor ended anything. */
function isVisitAfter({ from, to, end, left }: DriveView, before: DriveView | undefined): boolean {
  if (before === undefined || from !== to || left.length > 0) return false;
  return end === 'let-go' || (end === 'finished' && before.end === 'finished');
}

function attemptRow(attempt: AttemptView, view: RunView, now: number): Row {
  const { startedAt, endedAt, outcome } = attempt;
  const isUnderWay = outcome === undefined && view.driver?.alive === true;
  const until = isUnderWay ? now : endedAt;
  const words = [nameOf(attempt), ...endWords(attempt, isUnderWay)];
  return {
    at: startedAt,
    ...(until !== undefined && { took: until - startedAt }),
    text: cleanLine(`${symbolOf(outcome, isUnderWay)} ${words.join(': ')}`),
  };
}

function endWords({ outcome, reason }: AttemptView, isUnderWay: boolean): string[] {
  if (outcome === 'succeeded') return [];
  if (outcome === undefined) return [isUnderWay ? 'under way' : 'was under way'];
  return reason === undefined ? [outcome] : [outcome, reason];
}

function symbolOf(outcome: AttemptView['outcome'], isUnderWay: boolean): string {
  if (outcome === undefined) return statusSymbol(isUnderWay ? 'running' : 'interrupted');
  return statusSymbol(outcome === 'asked' ? 'held' : outcome);
}

/** Of the last one, what is known from outside tells more than the journal. */
function endRows(drive: DriveView, view: RunView, now: number): Row[] {
  const { to: at, end } = drive;
  if (end !== 'last') return [{ at, text: endTexts[end](drive) }];
  if (view.driver?.alive === true) return [{ at, text: `▶ ${whoseText(drive)} drives it` }];
  const gone = view.driver === undefined ? endTexts['let-go'](drive) : `! process ${drive.pid} is gone`;
  return [
    { at, text: gone },
    { took: now - at, text: 'nobody drives it' },
  ];
}

const endTexts: Readonly<Record<Exclude<DriveView['end'], 'last'>, (drive: DriveView) => string>> = {
  finished: () => 'the run has ended',
  'let-go': ({ pid }) => `process ${pid} lets go of it`,
  died: ({ pid }) => `! process ${pid} is gone, and leaves under way:`,
};

function whoseText({ pid, host }: DriveView): string {
  return cleanLine(`process ${pid} on ${host}`);
}

const fateTexts: Readonly<Record<LeftAttempt['fate'], string>> = {
  adopted: 'was alive, and went on',
  harvested: 'had ended, and its result was taken',
  interrupted: 'had left no result',
  'never-began': 'had not begun',
  unknown: 'nobody has come to it yet',
};

function leftText({ attempt, task, fate }: LeftAttempt, names: ReadonlyMap<string, string>): string {
  return cleanLine(`${names.get(attempt) ?? task}: ${fateTexts[fate]}`);
}

function nameOf({ task, kind, number, agent }: AttemptView): string {
  const more = [
    ...(kind === 'work' ? [] : [kind]),
    ...(number > 1 ? [`attempt ${number}`] : []),
    ...(agent === undefined ? [] : [`by ${agent}`]),
  ];
  return [task, ...more].join(', ');
}
