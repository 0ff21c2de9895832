import { isFunctionRef } from '../../model/index.ts';
import { chainsOf, type Chain } from '../expressions/chains.ts';
import { expressionsOf } from '../expressions/templates.ts';
import type { Finding, Path } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';
import type { NeedsGraph } from './check-needs.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { createAncestry, type IsNeeded } from './find-ancestors.ts';
import { taskPath, type Scope } from './scope.ts';
import { createSuggester, type Suggest } from './suggestions.ts';

/** That an expression reads a task. */
export interface Read {
  readonly name: string;
  readonly at: Path;
  readonly offset?: number;
  /** Reading through `needs` takes a direct need. */
  readonly root: 'tasks' | 'needs';
}

/** What one task reads, in the scope and (from an inline body) around it. */
export interface ReadsOfTask {
  readonly names: readonly string[];
  readonly outer: readonly Read[];
  readonly findings: readonly Finding[];
}

export interface ReadsChecker {
  ofTask(task: TaskDraft, reads: readonly Read[]): ReadsOfTask;
  /** The workflow's outputs may read any task: they are made when all have ended. */
  ofOutputs(reads: readonly Read[]): ReadsOfTask;
}

export function createReadsChecker(scope: Scope, graph: NeedsGraph): ReadsChecker {
  const known: Known = {
    scope,
    graph,
    isNeeded: createAncestry(graph),
    suggest: createSuggester(scope.positions),
  };
  return {
    ofTask(task, reads) {
      const reader = { task, direct: new Set(task.needs) };
      return sortReads(reads, scope, (read) => checkRead(known, reader, read));
    },
    ofOutputs: (reads) => sortReads(reads, scope, (read) => checkExistence(known, read)),
  };
}

interface Known {
  readonly scope: Scope;
  readonly graph: NeedsGraph;
  readonly isNeeded: IsNeeded;
  readonly suggest: Suggest;
}

function sortReads(
  reads: readonly Read[],
  scope: Scope,
  check: (read: Read) => readonly Finding[],
): ReadsOfTask {
  const isOuter = ({ name, root }: Read) => scope.inherits && root === 'tasks' && !scope.positions.has(name);
  const own = reads.filter((read) => !isOuter(read));
  return {
    names: [...new Set(own.map(({ name }) => name))].sort(),
    outer: reads.filter(isOuter),
    findings: own.flatMap((read) => check(read)),
  };
}

interface Reader {
  readonly task: TaskDraft;
  readonly direct: ReadonlySet<string>;
}

function checkRead(known: Known, { task, direct }: Reader, read: Read): readonly Finding[] {
  const { scope } = known;
  const missing = checkExistence(known, read);
  if (missing.length > 0) return missing;
  if (direct.has(read.name)) return [];
  if (read.root === 'needs') return [notNeeded(read, task, '`needs` holds only direct needs.')];
  const other = scope.positions.get(read.name)!;
  const position = scope.positions.get(task.name)!;
  // Behind a cycle nothing can be said about what comes before what.
  if (known.graph.rank[position]! < 0 || known.isNeeded(other, position)) return [];
  return [notNeeded(read, task, 'It may not have run yet.')];
}

function checkExistence({ scope, suggest }: Known, read: Read): readonly Finding[] {
  const { name, at, offset } = read;
  const place = { at, ...(offset === undefined ? {} : { offset }) };
  if (scope.form === 'graph') {
    const message = `A graph has no \`${read.root}\`: its nodes share the state.`;
    return [{ ...place, message, remedy: 'Put the value into the state with `update`, and read `state`.' }];
  }
  if (scope.positions.has(name)) return [];
  return [{ ...place, message: `There is no task \`${name}\`.`, ...suggest(name) }];
}

function notNeeded({ name, at, offset }: Read, task: TaskDraft, reason: string): Finding {
  const message =
    name === task.name
      ? `\`${name}\` reads itself.`
      : `\`${task.name}\` reads \`${name}\` without needing it. ${reason}`;
  const remedy =
    name === task.name ? 'Read its `needs` instead.' : `Add \`needs: [${name}]\` to \`${task.name}\`.`;
  const inCode = name === task.name ? {} : { remedy: `Add \`needs: ['${name}']\` to \`${task.name}\`.` };
  return { at, message, remedy, inCode, ...(offset === undefined ? {} : { offset }) };
}

/** What its author and its closures say that a task reads: a closure is taken to read every direct need. */
export function declaredReads(task: TaskDraft, scope: Scope): readonly Read[] {
  const at = taskPath(scope, task);
  const dynamics = [task.if, task.forEach?.in, task.forEach?.key, task.approval, task.work.with];
  const closure = dynamics.some(isFunctionRef) ? (task.needs ?? []) : [];
  return [
    ...(task.reads ?? []).map((name, index) => ({
      name,
      at: [...at, 'reads', index],
      root: 'tasks' as const,
    })),
    ...closure
      .filter((name) => scope.positions.has(name))
      .map((name) => ({ name, at: [...at, 'needs'], root: 'tasks' as const })),
  ];
}

/** Reads that the expressions of some sites show, and findings about those that name no task. */
export function readsOfSites(
  sites: readonly ExpressionSite[],
  names: ReadonlySet<string>,
): { reads: Read[]; findings: Finding[] } {
  const chains = sites.flatMap(({ at, template }) =>
    expressionsOf(template).flatMap(({ expression, start }) =>
      chainsOf(expression, names).map((chain) => ({
        chain,
        at,
        offset: start + (chain.steps[0]?.start ?? chain.start),
      })),
    ),
  );
  return {
    reads: chains.flatMap(({ chain, at, offset }) =>
      isNamedRead(chain) ? [{ name: chain.steps[0]!.name, at, offset, root: chain.root }] : [],
    ),
    findings: chains.flatMap(({ chain, at, offset }) => (isUnnamed(chain) ? [unnamedRead(at, offset)] : [])),
  };
}

function isNamedRead(chain: Chain): chain is Chain & { readonly root: Read['root'] } {
  return (chain.root === 'tasks' || chain.root === 'needs') && chain.steps.length > 0;
}

function isUnnamed({ root, steps }: Chain): boolean {
  return root === 'tasks' && steps.length === 0;
}

function unnamedRead(at: Path, offset: number): Finding {
  const message = '`tasks` is read without naming a task, so it cannot be known what has to run before.';
  return { at, offset, message, remedy: 'Name it: `tasks.<name>` or `tasks["<name>"]`.' };
}
