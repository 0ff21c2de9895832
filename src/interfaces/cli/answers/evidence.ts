import { moneyText, plural, someNames, visibleText } from '../../../base/index.ts';
import type { Diff, WatchedRun, WatchedTask } from '../../../library/index.ts';
import { askedLines } from '../conversation/index.ts';
import { cleanLine, cutTo } from '../output/index.ts';

const mostLines = 20;
const mostFiles = 10;

/** What a person should know before deciding: what will be done, what was done so far, what it has cost. Words of others are neutralised. */
export function evidenceFor(view: WatchedRun, task: WatchedTask, diff: Diff | undefined): string[] {
  return [
    // All of what an agent asks for: what is cut off might be what matters.
    ...(task.asked === undefined ? workLines(task) : askedLines(task.asked)),
    ...needLines(view, task),
    ...(diff === undefined ? [] : statLines(diff)),
    ...costLines(view),
  ];
}

/** What will be run, pushed or told an agent. */
function workLines({ spec: { work } }: WatchedTask): string[] {
  switch (work.type) {
    case 'command': {
      return bounded(['runs:', ...visibleLines(commandText(work)).map((line) => `  ${line}`)]);
    }
    case 'agent':
      return bounded([
        `${work.agents[0] ?? 'an agent'} is told:`,
        ...visibleLines(work.prompt).map((line) => `  ${line}`),
      ]);
    case 'deliver':
      return ['pushes the branch of the run, and opens a pull request'];
    case 'workflow':
      return [`runs ${plural(work.workflow.tasks.length, 'task')} of ${cleanLine(work.workflow.name)}`];
    case 'function':
      return [`calls the function ${cleanLine(work.function)}`];
    case 'ask':
      return [];
  }
}

/** With its expressions as they are written: the shell gets each as a variable. */
function commandText({ run, env }: Extract<WatchedTask['spec']['work'], { type: 'command' }>): string {
  if (typeof run !== 'string') return run.join(' ');
  return run.replaceAll(/\$\{(PITON_VALUE_\d+)\}/g, (variable, name: string) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    return typeof value === 'string' ? value : variable;
  });
}

function visibleLines(text: string): string[] {
  return visibleText(text.trimEnd()).replaceAll('\t', '  ').split('\n');
}

function bounded(lines: readonly string[]): string[] {
  const left = lines.length - mostLines;
  return left > 0 ? [...lines.slice(0, mostLines), `… ${plural(left, 'more line')}`] : [...lines];
}

/** How what it needs has ended, with what checks found. */
function needLines(view: WatchedRun, { spec }: WatchedTask): string[] {
  const needed = [...view.tasks()].filter(
    (other) => !other.isGroup && spec.needs.includes(other.spec.name) && other.status === 'succeeded',
  );
  if (needed.length === 0) return [];
  return [`after ${someNames(needed.map(needText), 10)}`];
}

function needText({ address, spec, revisions = 0 }: WatchedTask): string {
  const revised = revisions === 0 ? '' : ` after ${plural(revisions, 'revision')}`;
  return `${cleanLine(address)}${spec.check === undefined ? '' : ` (check passed${revised})`}`;
}

function statLines({ files }: Diff): string[] {
  if (files.length === 0) return ['no file is changed so far'];
  const lines = files.slice(0, mostFiles).map(({ path, added, removed }) => {
    const count = added === undefined ? 'binary' : `+${added} -${removed ?? 0}`;
    return `  ${cutTo(cleanLine(path), 100)}  ${count}`;
  });
  const more = files.length > mostFiles ? [`  … and ${files.length - mostFiles} more`] : [];
  return [`${plural(files.length, 'file')} changed so far:`, ...lines, ...more];
}

function costLines({ usage }: WatchedRun): string[] {
  return usage?.costUsd === undefined ? [] : [`${moneyText(usage.costUsd)} so far`];
}
