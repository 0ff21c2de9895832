import { moneyText } from '../../../base/index.ts';
import { callText, choiceText, type EventOf } from '../../../model/index.ts';
import type { AskedCall } from '../conversation/index.ts';
import { cleanLine, cutTo } from '../output/index.ts';
import type { WatchedTask } from '../../../library/index.ts';

/** What is said of an attempt, with its task before it. */
export function startedText({ agent, kind }: Started, line: WatchedTask | undefined): string {
  const revised = kind === 'revision' ? revisedText(line) : undefined;
  if (revised !== undefined) return revised;
  if (kind !== undefined && kind !== 'revision') return `is ${kindText(kind, line)}`;
  return workText(agent, line);
}

function workText(agent: Started['agent'], line: WatchedTask | undefined): string {
  const by = agent === undefined ? '' : ` with ${agent.name}`;
  const { number = 1 } = line?.attempt ?? {};
  if (number === 1) return `started${by}`;
  return agent?.rung === 'session'
    ? `goes on in its session${by} (attempt ${number})`
    : `is tried again${by} (attempt ${number})`;
}

/** Undefined: it has no revision left, and this is another attempt. */
function revisedText({ isConflicting, revisions }: Partial<WatchedTask> = {}): string | undefined {
  if (isConflicting === true) return 'resolves its conflict';
  return revisions === undefined ? undefined : `is revised (revision ${revisions})`;
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

export function checkFailedText({ report, revision, isHeld }: EventOf<'check.failed'>['data']): string {
  const found = tellingLinesOf(report) || 'it said nothing';
  const next = revision === 0 || isHeld === true ? '' : `; revision ${revision} follows`;
  return `did not pass its check: ${found}${next}`;
}

export function toldText({ text, now }: EventOf<'message.added'>['data']): string {
  return `${now === true ? ' at once' : ''}: ${short(text)}`;
}

/** What a person is asked, with the task before it. */
export function questionText({
  text,
  call,
  question,
}: Pick<EventOf<'gate.opened'>['data'], 'text' | 'call'> & { readonly question?: object }): string {
  if (question !== undefined) return `asks: ${text}`;
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

export function decidedText(
  { approved, answer, isOverdue }: EventOf<'gate.decided'>['data'],
  call: AskedCall | undefined,
): string {
  const given = answer === undefined ? '' : short(choiceText(answer));
  if (isOverdue === true)
    return approved ? `takes its default, ${given}: nobody answered in time` : 'got no answer';
  if (answer !== undefined) return `is answered: ${given}`;
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

const mostLines = 3;

/** Most programs count at their end what was wrong: `2 of 14 tests failed`. Else their last lines say it; the first is how the check ended, which says least. */
function tellingLinesOf(report: string): string {
  const [how = '', ...said] = report.split('\n').filter((line) => line.trim() !== '');
  const count = said.findLast((line) => counted.test(line));
  if (count !== undefined) return short(count);
  return said.length === 0 ? short(how) : short(said.slice(-mostLines).join(' · '));
}

const counted =
  /\b[1-9]\d*\b.*\b(?:fail(?:ed|ing|ures?|s)?|errors?|problems?)\b|\bfail(?:ed|ing|ures?)?\W{1,3}[1-9]\d*\b/i;

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
