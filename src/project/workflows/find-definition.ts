import { existsSync } from 'node:fs';
import { asError, hasCode, PitonError } from '../../base/index.ts';
import { assertSameWorkflow, type Definition, type Piton } from '../../library/index.ts';
import { functionsOf, type Origin } from '../../model/index.ts';
import { fillFrom, selectFrom } from '../plan/select-from.ts';
import type { Trusting } from '../surroundings.ts';

interface Finding {
  readonly piton: Piton;
  readonly trust: Pick<Trusting, 'requireTrust'>;
}

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
export async function findDefinition({ piton, trust }: Finding, run: string): Promise<FoundDefinition> {
  const { definition: stored, origin } = await piton.definitionOf(run);
  const file = origin?.file;
  const kept = { definition: stored, ...(origin !== undefined && { origin }) };
  const callsFunctions = functionsOf(stored.workflow).next().done !== true;
  if (file === undefined || !existsSync(file)) {
    if (callsFunctions) throw functionsGone(run, file);
    return file === undefined ? kept : { ...kept, note: `${file} is gone: ${goingOn}` };
  }
  try {
    const definition = await fromFile(file, origin!, trust);
    assertSameWorkflow(run, stored.workflow.name, definition.workflow);
    return { ...kept, definition };
  } catch (thrown) {
    if (callsFunctions || hasCode(thrown, 'TRUST_NEEDED')) throw thrown;
    return { ...kept, note: `${asError(thrown).message}\nThe file does not count: ${goingOn}` };
  }
}

const goingOn = 'going on with the definition that the run keeps.';

async function fromFile(file: string, origin: Origin, trust: Finding['trust']): Promise<Definition> {
  const { loadDefinition } = await import('./load-definition.ts');
  // As it was configured when the run was started: that has become a part of what it keeps.
  return selectFrom(fillFrom(await loadDefinition(file, trust), origin.defaults ?? {}), origin);
}

/** Going on without them would fail every task that calls one. */
function functionsGone(run: string, file: string | undefined): PitonError {
  const where = file === undefined ? 'of the program that started it' : `of ${file}, which is gone`;
  return new PitonError('RUN_CHANGED', `Run ${run} cannot go on here: it calls functions ${where}.`, {
    run,
    remedy: file === undefined ? 'Resume it in that program.' : 'Bring the file back.',
  });
}
