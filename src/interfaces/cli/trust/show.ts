import { visibleName, visibleText, plural } from '../../../base/index.ts';
import type { Output } from '../output/index.ts';
import type { TrustStanding } from '../../../project/index.ts';

/** Everything that would be trusted, whole: what is cut off might be what matters. Shown as it is, with nothing hidden in it. */
export function showStanding({ errorStyle, note }: Output, standing: TrustStanding): void {
  const { root, record, changes, hasForeignStore } = standing;
  const isNew = record === undefined;
  const what = isNew ? 'has not been trusted yet.' : 'has changed since you trusted it.';
  note(errorStyle.bold(`${visibleName(root)} ${what}`));
  note('In a project that is trusted, Piton executes the workflows that you name, and obeys:');
  for (const { file, lines } of changes) {
    note(`  ${visibleName(file)}`);
    for (const line of lines) note(`    ${paint(errorStyle, line)}`);
  }
  if (hasForeignStore) note('  its store, with runs that nobody has trusted: they could be resumed');
  else if (changes.length === 0) note('  nothing else: it has no settings of its own');
  if (changes.reduce((sum, { lines }) => sum + lines.length, 0) > mostSeenAtOnce) note(summaryOf(changes));
}

/** So that nothing is out of sight because a longer one came after it. */
const mostSeenAtOnce = 15;

function summaryOf(changes: TrustStanding['changes']): string {
  const files = changes.map(({ file, lines }) => `${visibleName(file)} (${plural(lines.length, 'line')})`);
  return `Shown above: ${files.join(', ')}.`;
}

function paint(style: Output['errorStyle'], line: string): string {
  const shown = visibleText(line.replaceAll('\t', '  '));
  if (line.startsWith('+')) return style.green(shown);
  return line.startsWith('-') ? style.red(shown) : style.dim(shown);
}
