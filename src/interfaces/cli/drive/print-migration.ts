import type { Json } from '../../../base/index.ts';
import type { DriftReport, MigratedValue } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { cleanLine } from '../output/index.ts';

const mostShown = 60;

/** What the migrations would make of the data of a run, value by value. */
export function printMigration({ output }: Context, report: DriftReport, isTrusted: boolean): void {
  const { migration, migrated } = report;
  if (migration !== undefined)
    output.print(`When it goes on, its data is migrated from version ${migration.from} to ${migration.to}.`);
  if (migration !== undefined && !isTrusted)
    output.print('  What that gives is shown when the project is trusted: piton trust');
  if (migrated === undefined) return;
  if (migrated.problem !== undefined) output.print(`  ${output.style.red(cleanLine(migrated.problem))}`);
  else if (migrated.changes.length === 0) output.print('  No value changes.');
  for (const change of migrated.changes) output.print(`  ${cleanLine(changeText(change))}`);
}

function changeText({ scope, field, before, after }: MigratedValue): string {
  return `${scope === undefined ? '' : `${scope} `}${field}: ${inShort(before)} → ${inShort(after)}`;
}

function inShort(value: Json | undefined): string {
  if (value === undefined) return 'none';
  const text = JSON.stringify(value);
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}…`;
}
