import { moneyText } from '../../../base/index.ts';
import { callText, type EventOf } from '../../../model/index.ts';
import type { AskedCall } from '../conversation/index.ts';
import { cleanLine, cutTo } from '../output/index.ts';
import type { WatchedTask } from '../../../library/index.ts';

/** What is said of an attempt, with its task before it. */
export function startedText({ number, agent, kind }: Started, line: WatchedTask | undefined): string {
  if (kind === 'revision') return revisedText(line);
  if (kind !== undefined) return `is ${kindText(kind, line)}`;
  const by = agent === undefined ? '' : ` with ${agent.name}`;
  if ((line?.attempt?.tries ?? number) === 1) return `started${by}`;
  return agent?.rung === 'session'
    ? `goes on in its session${by} (attempt ${number})`
    : `is tried again${by} (attempt ${number})`;
}

function revisedText({ isConflicting, revisions = 1 }: Partial<WatchedTask> = {}): string {
  return isConflicting === true ? 'is made to fit' : `is revised (revision ${revisions})`;
}

type Started = EventOf<'attempt.started'>['data'];

/** What an attempt is for that does not do the work itself. */
const kindTexts = {
  setup: 'being set up',
  check: 'checked',
  integrate: 'being brought to the work of others',
  verify: 'checked together with the work of others',
} as const;

/** Who only reads has nothing to bring: then it is about what others need of it. */
export function kindText(kind: keyof typeof kindTexts, line: Pick<WatchedTask, 'spec'> | undefined): string {
  const work = line?.spec.work;
  const isReading = work?.type === 'agent' && work.permissions === 'read';
  return kind === 'integrate' && isReading ? 'being kept for those who need it' : kindTexts[kind];
}

/** The same of one whose forerunner was interrupted. */
export function againText({ agent, kind }: Started): string {
  if (kind === undefined || kind === 'revision') return again[agent?.rung ?? 'restart'];
  return `is ${kindTexts[kind]} again after an interruption`;
}

const again = {
  session: 'goes on in its session after an interruption',
  transcript: 'goes on in a new session, told what was done',
  restart: 'is started again after an interruption',
} as const;

export function checkFailedText({ report, revision }: EventOf<'check.failed'>['data']): string {
  const found = lastLineOf(report) || 'it said nothing';
  return `did not pass its check: ${found}${revision === 0 ? '' : `; revision ${revision} follows`}`;
}

export function toldText({ text, now }: EventOf<'message.added'>['data']): string {
  return `${now === true ? ' at once' : ''}: ${short(text)}`;
}

export function questionText({ text, call }: EventOf<'gate.opened'>['data']): string {
  return call === undefined
    ? `waits for your approval: ${text}`
    : `asks whether it may use ${shortCall(call)}`;
}

/** By how much, of what, and by whom. */
export function raisedText({ of, usd, tokens, by, comment }: EventOf<'budget.raised'>['data']): string {
  const amount = usd === undefined ? `${tokens ?? 0} tokens` : moneyText(usd);
  const who = by === undefined ? '' : ` by ${by}`;
  return `the budget of the ${of} was raised by ${amount}${who}${comment === undefined ? '' : `: ${comment}`}`;
}

export function decidedText(approved: boolean, call: AskedCall | undefined): string {
  if (call === undefined) return approved ? 'is approved' : 'is rejected';
  return `${approved ? 'may' : 'may not'} use ${shortCall(call)}`;
}

function shortCall({ tool, input }: AskedCall): string {
  return short(callText(tool, input));
}

const widestQuote = 200;

/** Words of others, in one line that leaves room for our own. */
function short(text: string): string {
  return cutTo(cleanLine(text), widestQuote);
}

/** Where most programs say what was wrong. */
function lastLineOf(report: string): string {
  return short(report.trimEnd().split('\n').at(-1)!);
}

const agentResource = /^agent:/;

/** Agents are resources too, under a name that is for us. */
export function resourceName(resource: string): string {
  return resource.replace(agentResource, '');
}

export function downText(
  { resource, reason, network }: EventOf<'breaker.opened'>['data'],
  when: string,
): string {
  if (network === true)
    return `${resourceName(resource)} does not reach its model (${reason}): tasks that name another agent too go on with that one`;
  return agentResource.test(resource)
    ? `${resourceName(resource)} is asked again ${when}: ${reason}`
    : `${resource} seems to be down (${reason}): what uses it waits and tries again ${when}`;
}
