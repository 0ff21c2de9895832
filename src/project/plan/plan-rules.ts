import { formatDuration, plural } from '../../base/index.ts';
import {
  containmentOf,
  isFunctionRef,
  type ForEachSpec,
  type RetryPolicy,
  type TaskSpec,
} from '../../model/index.ts';
import { textOf, type Render } from './render-known.ts';

/** What a task is bound to, in words. */
export function rulesOf(spec: TaskSpec, render: Render): string[] {
  const { timeoutMs, onInterrupt, locks, writes, resources, priority, continueOnError } = spec;
  return [
    ...(spec.approval === undefined ? [] : [`asks for approval: ${textOf(render(spec.approval))}`]),
    ...(spec.if === undefined ? [] : [`only if ${isFunctionRef(spec.if) ? 'a function says so' : spec.if}`]),
    ...(spec.forEach === undefined ? [] : [forEachText(spec.forEach, render)]),
    ...(spec.work.type === 'ask'
      ? []
      : [
          retryText(spec.retry),
          timeoutMs === undefined ? 'no timeout' : `timeout ${formatDuration(timeoutMs)}`,
          `on-interrupt ${onInterrupt}`,
        ]),
    ...listed('on-conflict', toList(spec.onConflict)),
    ...sandboxRules(spec),
    ...listed('locks', locks),
    ...listed('repository-locks', spec.repositoryLocks),
    ...listed('writes', writes),
    ...listed('keeps', spec.artifacts),
    ...listed('uses', resources),
    ...(priority === 0 ? [] : [`priority ${priority}`]),
    ...(continueOnError ? ['others go on if it fails'] : []),
    ...(spec.next ?? []).map((edge) => `then ${edge.to}${edgeCondition(edge.if)}`),
  ];
}

function sandboxRules(spec: TaskSpec): string[] {
  const { mode, hasNetwork } = containmentOf(spec);
  return mode === 'off' ? [] : [`sandbox ${mode}${hasNetwork ? '' : ', no network'}`];
}

function listed(word: string, names: readonly string[] = []): string[] {
  return names.length === 0 ? [] : [`${word} ${names.join(', ')}`];
}

function toList(word: string | undefined): readonly string[] {
  return word === undefined ? [] : [word];
}

function edgeCondition(condition: TaskSpec['if']): string {
  if (condition === undefined) return '';
  return isFunctionRef(condition) ? ' if a function says so' : ` if ${condition}`;
}

function forEachText({ in: list, maxParallel, maxFailures }: ForEachSpec, render: Render): string {
  const items = render(list);
  const what = Array.isArray(items) ? plural(items.length, 'item') : `each of ${textOf(items)}`;
  const limit = maxParallel === undefined ? '' : `, at most ${maxParallel} at once`;
  return `for ${what}${limit}${maxFailures > 0 ? `, ${maxFailures} may fail` : ''}`;
}

function retryText({ attempts, backoffMs, factor, maxBackoffMs }: RetryPolicy): string {
  if (attempts === 1) return 'no retry';
  return `${attempts} attempts, ${formatDuration(backoffMs)} apart, ×${factor} each time up to ${formatDuration(maxBackoffMs)}`;
}
