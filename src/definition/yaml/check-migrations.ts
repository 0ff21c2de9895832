import { isPlainObject } from '../../base/index.ts';
import { versionNumber } from '../../model/index.ts';
import { migrationSites } from '../define/expression-sites.ts';
import type { Finding, Path } from '../problems.ts';
import type { WorkflowDraft } from '../workflow-draft.ts';
import { suggestNearest } from '../define/suggestions.ts';
import { checkSite, checkUpdate, type Sight } from './check-site.ts';

/** What their expressions see is of older versions: nothing is known of it. What they give at last is of this one. */
export function checkMigrations(draft: WorkflowDraft, at: Path, sight: Sight): Finding[] {
  const { migrations = {}, graph, inputs = {} } = draft;
  const seen = { run: sight.variables['run']!, inputs: 'dyn', ...(graph && { state: 'dyn' }) };
  const items = Object.fromEntries(
    draft.tasks.flatMap(({ forEach }) =>
      forEach === undefined ? [] : [[forEach.as ?? (forEach.matrix === true ? 'matrix' : 'item'), 'dyn']],
    ),
  );
  const ofOutput = { ...seen, ...items, key: 'dyn', output: 'dyn' };
  const expressions = Object.entries(migrations).flatMap(([step, migration]) =>
    migrationSites(migration, [...at, 'migrations', step]).flatMap((site) =>
      checkSite(site, undefined, { ...sight, variables: site.role === 'migrated-output' ? ofOutput : seen }),
    ),
  );
  const last = migrations[String(versionNumber(draft))];
  const place = [...at, 'migrations', String(versionNumber(draft))];
  return [
    ...expressions,
    ...(graph !== undefined && isPlainObject(last?.state)
      ? checkUpdate(last.state, graph.state ?? {}, [...place, 'state'])
      : []),
    ...(isPlainObject(last?.inputs) ? checkInputNames(last.inputs, inputs, [...place, 'inputs']) : []),
  ];
}

function checkInputNames(given: object, inputs: object, at: Path): Finding[] {
  const names = Object.keys(inputs);
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      at: [...at, name],
      onKey: true,
      message: `There is no input \`${name}\`.`,
      ...suggestNearest(name, names),
    }));
}
