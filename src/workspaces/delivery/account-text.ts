import type { RunAccount } from '../delivery-contract.ts';
import { deliveredTrailer, oneLine } from '../git/index.ts';

const mostTasks = 50;
/** More than that no service takes. */
const longestBody = 60_000;

/** `tip`: the commit of the run's branch that is brought in. */
export function mergeMessage(
  account: RunAccount,
  { tip, isSquash }: { readonly tip: string; readonly isSquash: boolean },
): string {
  const { run, workflow } = account;
  const title = isSquash ? `${workflow} (run ${run})` : `Merge run ${run} of ${workflow}`;
  const trailers = [`Piton-Run: ${run}`, `${deliveredTrailer}: ${tip}`];
  const paragraphs = [oneLine(title), taskLines(account).join('\n'), trailers.map(oneLine).join('\n')];
  return `${paragraphs.filter((text) => text !== '').join('\n\n')}\n`;
}

export function titleOf({ run, workflow }: RunAccount): string {
  return oneLine(`${workflow} (run ${run})`);
}

export function bodyOf(account: RunAccount): string {
  const { run, workflow, usage } = account;
  const lines = [
    `What run \`${run}\` of the workflow \`${oneLine(workflow)}\` made.`,
    '',
    ...taskLines(account),
    ...(usage === undefined ? [] : ['', `Used by agents: ${oneLine(usage)}`]),
    '',
    `To see how it came about: \`piton show ${run}\`; what changed: \`piton diff ${run} --patch\`;`,
    `to do it again: \`piton run ${oneLine(workflow)}\`.`,
  ];
  return `${lines.join('\n')}\n`;
}

/** What is too long is cut, and says so. */
export function fitBody(body: string): string {
  return body.length <= longestBody ? body : `${body.slice(0, longestBody)}\n\n[…]\n`;
}

function taskLines({ tasks }: RunAccount): string[] {
  const shown = tasks.slice(0, mostTasks).map(({ task, status }) => `- ${oneLine(task)}: ${status}`);
  const more = tasks.length - shown.length;
  return more === 0 ? shown : [...shown, `- and ${more} more`];
}
