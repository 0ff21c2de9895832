import { visibleText } from '../../../base/index.ts';
import type { Output } from '../output/index.ts';
import type { Standing } from './project-trust.ts';

/** Everything that would be trusted, whole: what is cut off might be what matters. Shown as it is, with nothing hidden in it. */
export function showStanding({ errorStyle, complain }: Output, standing: Standing): void {
  const { root, record, changes, hasForeignStore } = standing;
  complain(
    record === undefined
      ? errorStyle.bold(`${visibleText(root)} has not been trusted yet.`)
      : errorStyle.bold(`${visibleText(root)} is not as you have trusted it.`),
  );
  complain('In a project that is trusted, Piton executes the workflows that you name, and obeys:');
  for (const { file, lines } of changes) {
    complain(`  ${visibleText(file)}`);
    for (const line of lines) complain(`    ${paint(errorStyle, line)}`);
  }
  if (changes.length === 0) complain('  nothing else: it has no settings of its own');
  if (hasForeignStore) complain('  its store: the runs in it were not begun here, and could be gone on with');
}

function paint(style: Output['errorStyle'], line: string): string {
  const shown = visibleText(line.replaceAll('\t', '  '));
  if (line.startsWith('+')) return style.green(shown);
  return line.startsWith('-') ? style.red(shown) : style.dim(shown);
}
