import { formatDuration, markdownOf, plural, proseLineOf, someNames } from '../base/index.ts';
import type { RunAccount, TaskAccount } from './delivery-contract.ts';
import { cutLine, detailsOf, subjectOf } from './work-text.ts';

const mostTasks = 50;
/** More than that no service takes. */
const longestBody = 60_000;

/** What those who changed something say of it; if that is too much, the workflow and who they are. */
export function titleOf(account: RunAccount): string {
  const made = changedIn(account);
  const subjects = made.map(({ task, text }) => subjectOf(task, text));
  const title = [...new Set(subjects)].join('; ');
  if (title !== '' && (title.length <= 72 || subjects.length === 1)) return title;
  const names = made.map(({ task }) => task);
  return cutLine(
    proseLineOf(names.length === 0 ? account.workflow : `${account.workflow}: ${someNames(names, 3)}`),
  );
}

/** What was done, in the words of those who did it; then how, folded. */
export function bodyOf(account: RunAccount): string {
  return `${[summaryOf(account), evidenceOf(account)].filter((text) => text !== '').join('\n\n')}\n`;
}

/** Of one who has said no more than the title, that. */
export function summaryOf(account: RunAccount): string {
  const sections = sectionsOf(account, markdownOf);
  return sections.length > 0 ? sections.join('\n\n') : `${markdownOf(titleOf(account))}.`;
}

/** One paragraph for the whole, or a part for each who changed something. */
export function sectionsOf(account: RunAccount, render: (text: string) => string): string[] {
  const made = changedIn(account);
  const [only] = made;
  if (only !== undefined && made.length === 1)
    return [render(detailsOf(only.text) ?? '')].filter((text) => text !== '');
  const shown = made.slice(0, mostTasks);
  const lines = shown.map(({ task, text }) => ({ subject: subjectOf(task, text), details: detailsOf(text) }));
  const more = made.length > shown.length ? [`And ${made.length - shown.length} more.`] : [];
  if (lines.every(({ details }) => details === undefined))
    return [[...lines.map(({ subject }) => `- ${render(subject)}`), ...more].join('\n')].filter(
      (text) => text !== '',
    );
  const parts = lines.map(({ subject, details }) =>
    details === undefined ? `- ${render(subject)}` : `${heading(render, subject)}\n\n${render(details)}`,
  );
  return [...parts, ...more];
}

/** In a commit message a line that begins with `#` is a comment to git. */
function heading(render: (text: string) => string, subject: string): string {
  return render === markdownOf ? `### ${render(subject)}` : `${render(subject)}:`;
}

function changedIn({ tasks }: RunAccount): readonly TaskAccount[] {
  return tasks.filter(({ hasChanged }) => hasChanged);
}

/** Folded: who wants to know how it was made opens it. */
export function evidenceOf(account: RunAccount): string {
  const { run, workflow, tasks } = account;
  const shown = tasks.slice(0, mostTasks);
  const more = tasks.length - shown.length;
  return [
    '<details>',
    `<summary>How it was made: ${headOf(account)}</summary>`,
    '',
    '| task | result | check | agent | used | took |',
    '| --- | --- | --- | --- | --- | --- |',
    ...shown.map(rowOf),
    ...(more > 0 ? ['', `And ${plural(more, 'task')} more.`] : []),
    '',
    `Run ${code(run)} of the workflow ${code(workflow)}. Its tasks: ${code(`piton show ${run}`)}; what was said: ${code(`piton logs ${run} <task>`)};`,
    `what changed: ${code(`piton diff ${run} --patch`)}.`,
    '',
    '</details>',
  ].join('\n');
}

function headOf({ tasks, usage, tookMs }: RunAccount): string {
  const checks = tasks.filter(({ check, status }) => check !== undefined && status === 'succeeded').length;
  return [
    plural(tasks.length, 'task'),
    ...(checks > 0 ? [`${plural(checks, 'check')} passed`] : []),
    ...(usage === undefined ? [] : [proseLineOf(usage)]),
    ...(tookMs === undefined ? [] : [formatDuration(tookMs)]),
  ].join(', ');
}

function rowOf({ task, status, check, session, usage, tookMs }: TaskAccount): string {
  const checked = check === undefined ? '' : `${code(check)} ${status === 'succeeded' ? 'passed' : ''}`;
  const agent = session === undefined ? '' : `${code(session.agent)}, session ${code(session.id)}`;
  const cells = [
    code(task),
    status,
    checked,
    agent,
    usage ?? '',
    tookMs === undefined ? '' : formatDuration(tookMs),
  ];
  return `| ${cells.map((cell) => cell.trim()).join(' | ')} |`;
}

const longestCode = 120;

/** As code in one line of a table: whatever it holds, it ends where it ends. */
function code(text: string): string {
  const line = proseLineOf(text).replaceAll(/[`|\\]/g, "'");
  return `\`${line.length <= longestCode ? line : `${line.slice(0, longestCode - 1)}…`}\``;
}

/** What is too long is cut, and says so. */
export function fitBody(body: string): string {
  return body.length <= longestBody ? body : `${body.slice(0, longestBody)}\n\n[…]\n`;
}
