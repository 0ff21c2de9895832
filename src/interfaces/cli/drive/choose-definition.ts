import { basename } from 'node:path';
import { shellWord } from '../../../base/index.ts';
import type { Definition, Drift, DriftView, ResumeOptions } from '../../../library/index.ts';
import type { FoundDefinition } from '../../../project/index.ts';
import type { Context } from '../context.ts';
import { assertChoice, type DriftOptions } from './drift-options.ts';
import { changedError, driftInShort } from './print-drift.ts';

interface Choosing {
  readonly run: string;
  readonly found: FoundDefinition | undefined;
  readonly options: ResumeOptions;
}

/**
 * With which definition a run goes on. Nobody who has decided something about it is kept from going on by a file that has changed:
 * without a word about it, the definition that the run keeps counts, and it is said so.
 */
export async function chooseDefinition(
  context: Context,
  { run, found: known, options }: Choosing,
): Promise<{ readonly definition: Definition; readonly options: ResumeOptions }> {
  const found = known ?? (await context.project.definitionOf(run, await context.openExisting()));
  const { definition, note } = found;
  assertChoice(run, options, found);
  if (known === undefined) {
    if (note !== undefined) context.output.note(note);
    if (options.keepDefinition !== true) await sayVersion(context, { run, found, goesOn: goesOn(options) });
  }
  if (isAccepted(options)) return { definition, options };
  return { definition, options: { ...options, keepDefinition: options.keepDefinition ?? true } };
}

/** Of a fork, which nobody was shown yet. */
export function goesOnWith({ acceptDrift, keepDefinition }: DriftOptions): Version['goesOn'] {
  if (acceptDrift === true) return 'accepting';
  return keepDefinition === true ? 'keeping' : 'migrating';
}

function goesOn(options: ResumeOptions): Version['goesOn'] {
  if (isAccepted(options)) return 'accepting';
  return options.keepDefinition === 'unless-migrated' ? 'migrating' : 'keeping';
}

/** What is re-run is re-run as it is defined now, unless told otherwise. */
function isAccepted({ acceptDrift, keepDefinition, redo = [], skip = [] }: ResumeOptions): boolean {
  return acceptDrift === true || (keepDefinition !== true && redo.length + skip.length > 0);
}

interface Version {
  readonly run: string;
  readonly found: FoundDefinition;
  /** `migrating`: with a definition of a higher version, if its migrations lead there. */
  readonly goesOn: 'accepting' | 'migrating' | 'keeping';
}

/** In one line, if it makes a difference. */
export async function sayVersion(context: Context, { run, found, goesOn }: Version): Promise<void> {
  const piton = await context.openExisting();
  const view = await piton.drift(run, found.definition, { dryRun: false });
  if (!view.mustChoose && view.migration === undefined) return;
  const isAccepted = goesOn === 'accepting' || (goesOn === 'migrating' && view.migration !== undefined);
  context.output.note(isAccepted ? accepting(found, view) : keeping(run, found, view));
}

function accepting({ origin }: FoundDefinition, { drift, migration }: DriftView): string {
  const migrated =
    migration === undefined ? '' : ` It is migrated from version ${migration.from} to ${migration.to}.`;
  return `It goes on with ${fileOf(origin?.file)} as it is now: ${driftInShort(drift)}.${migrated}`;
}

function keeping(run: string, { origin }: FoundDefinition, { drift }: DriftView): string {
  const file = fileOf(origin?.file);
  return `It goes on with the definition that the run keeps, not with ${file} as it is now: ${driftInShort(drift)}. See: piton drift ${shellWord(run)}`;
}

function fileOf(file: string | undefined): string {
  return file === undefined ? 'the file' : basename(file);
}

interface Retrying {
  readonly run: string;
  readonly tasks: readonly string[];
  /** As it was typed, without a choice. */
  readonly command: string;
  readonly options: DriftOptions;
}

/** What is tried again and has been changed is not tried as it was without a word: it was changed for that. Throws `RUN_CHANGED`. */
export async function assertChosenFor(
  context: Context,
  { run, tasks, command, options }: Retrying,
): Promise<void> {
  if (options.acceptDrift === true || options.keepDefinition === true) return;
  const piton = await context.openExisting();
  // Whoever drives it does so with the definition that it has.
  if ((await piton.driver(run))?.alive === true) return;
  const { definition } = await context.project.definitionOf(run, piton);
  const view = await piton.drift(run, definition, { dryRun: false });
  const named = new Set(tasks.map((address) => address.replaceAll(/\[[^\]]*\]|#\d+/g, '')));
  const isMeant = ({ task = '', verdict }: Drift): boolean => named.has(task) && verdict !== 'harmless';
  if (view.drift.some(isMeant)) throw changedError(run, { ...view, command });
}
