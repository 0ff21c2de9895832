import type { EventOf } from '../../../model/index.ts';
import { callText, type AskedCall } from '../conversation/index.ts';
import { cleanLine, cutTo } from '../output/index.ts';

/** What is said of an attempt, with its task before it. */
export function startedText(
  { number, agent, kind }: EventOf<'attempt.started'>['data'],
  revision = 1,
): string {
  if (kind === 'check') return 'is checked';
  if (kind === 'revision') return `is revised (revision ${revision})`;
  const by = agent === undefined ? '' : ` with ${agent.name}`;
  if (number === 1) return `started${by}`;
  return agent?.rung === 'session'
    ? `goes on in its session${by} (attempt ${number})`
    : `is tried again${by} (attempt ${number})`;
}

/** The same of one whose forerunner was interrupted. */
export function againText({ agent, kind }: EventOf<'attempt.started'>['data']): string {
  return kind === 'check' ? 'is checked again after an interruption' : again[agent?.rung ?? 'restart'];
}

const again = {
  session: 'goes on in its session after an interruption',
  transcript: 'goes on in a new session after an interruption, told what was done',
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

export function downText({ resource, reason }: EventOf<'breaker.opened'>['data'], when: string): string {
  return agentResource.test(resource)
    ? `${resourceName(resource)} is asked again ${when}: ${reason}`
    : `${resource} seems to be down (${reason}): what uses it waits and tries again ${when}`;
}
