import { existsSync } from 'node:fs';
import { asError } from '../../../base/index.ts';
import type { Definition, Piton } from '../../../library/index.ts';
import { functionsOf, type Origin } from '../../../model/index.ts';
import { selectFrom } from './selection.ts';

/** With which definition a run goes on. */
export interface FoundDefinition {
  readonly definition: Definition;
  readonly origin?: Origin;
  /** Why it is not the file's, if it is not. */
  readonly note?: string;
}

/**
 * The file it was started from, with the same part of it selected; where that is gone, what the run itself keeps, which
 * is all that commands need. Functions live in files only.
 */
export async function findDefinition(piton: Piton, run: string): Promise<FoundDefinition> {
  const { definition: stored, origin } = await piton.definitionOf(run);
  const needsFile = !functionsOf(stored.workflow).next().done;
  if (origin?.file === undefined) return { definition: stored, ...(origin && { origin }) };
  if (!existsSync(origin.file)) {
    const note = `${origin.file} is gone: going on with the definition that the run keeps.`;
    return { definition: stored, origin, note };
  }
  try {
    return { definition: await fromFile(origin.file, origin), origin };
  } catch (thrown) {
    if (needsFile) throw thrown;
    const note = `${origin.file} cannot be used (${asError(thrown).message}): going on with the definition that the run keeps.`;
    return { definition: stored, origin, note };
  }
}

async function fromFile(file: string, origin: Origin): Promise<Definition> {
  const { loadDefinition } = await import('../workflows.ts');
  return selectFrom(await loadDefinition(file), origin);
}
