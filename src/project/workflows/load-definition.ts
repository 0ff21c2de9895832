import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asError, errorText, PitonError, readBounded } from '../../base/index.ts';
import type { Problem } from '../../definition/index.ts';
import type { Definition } from '../../library/index.ts';
import { functionsOf, type Workflow } from '../../model/index.ts';
import type { Trusting } from '../surroundings.ts';
import { isData } from './workflow-files.ts';

export interface ParsedFile {
  readonly workflow: Workflow;
  readonly suggestions: readonly Problem[];
}

type Trust = Pick<Trusting, 'requireTrust'>;

/** Reads a workflow file: YAML, or a module that exports a definition. Throws `DEFINITION_INVALID`, `WORKFLOW_INVALID`. */
export async function loadDefinition(file: string, trust: Trust): Promise<Definition> {
  if (!isData(file)) return importDefinition(file, trust);
  const { loadWorkflow } = await import('../../library/index.ts');
  try {
    return await loadWorkflow(file);
  } catch (thrown) {
    throw (await lackOfFunctions(file)) ?? thrown;
  }
}

/** What to say of a YAML file that calls functions: right for a program, which gives them, but it cannot be run by itself. */
export function aboutFunctions(
  workflow: Workflow,
  file: string,
): { message: string; remedy: string } | undefined {
  const names = [...new Set(functionsOf(workflow))];
  if (names.length === 0) return undefined;
  return {
    message: `It calls functions (${names.join(', ')}), which piton run does not know.`,
    remedy: `Run a TypeScript file beside it: export default await loadWorkflow(import.meta.dirname + '/${basename(file)}', { '${names[0]}': … }).`,
  };
}

/** Undefined if that is not what is wrong with it. */
async function lackOfFunctions(file: string): Promise<PitonError | undefined> {
  try {
    const lack = aboutFunctions((await parseFile(file)).workflow, file);
    return (
      lack && new PitonError('WORKFLOW_INVALID', `${file}: ${lack.message}`, { file, remedy: lack.remedy })
    );
  } catch {
    return undefined;
  }
}

/** The workflow alone, to look at: its functions need not be there. */
export async function loadForReading(file: string, trust: Trust): Promise<Workflow> {
  return isData(file) ? (await parseFile(file)).workflow : (await importDefinition(file, trust)).workflow;
}

/** A YAML file without its functions, with suggestions for what could be better. */
export async function parseFile(file: string): Promise<ParsedFile> {
  const { parseWorkflow } = await import('../../definition/index.ts');
  return parseWorkflow(textOf(file), { file, read: textOf });
}

function textOf(file: string): string {
  try {
    return readBounded(file).toString('utf8');
  } catch (cause) {
    const message = `Cannot read the workflow file ${file}: ${asError(cause).message}.`;
    throw new PitonError('FILE_UNREADABLE', message, { file, cause });
  }
}

/** To import a program is to run it, whatever it was to be looked at for. */
async function importDefinition(file: string, trust: Trust): Promise<Definition> {
  await trust.requireTrust();
  const { default: exported } = (await importModule(file)) as { default?: unknown };
  if (isDefinition(exported)) return exported;
  const what =
    exported === undefined ? 'exports nothing as its default' : 'exports something else as its default';
  throw new PitonError('WORKFLOW_INVALID', `${file} is no workflow: it ${what}.`, {
    file,
    remedy: `Write: export default workflow('name')…`,
  });
}

async function importModule(file: string): Promise<unknown> {
  try {
    return await orNever(import(addressOf(file)) as Promise<unknown>, file);
  } catch (cause) {
    if (cause instanceof PitonError) throw cause;
    const message = errorText(asError(cause), 'message') ?? 'an error that cannot be shown';
    throw new PitonError('WORKFLOW_INVALID', `${file} cannot be imported: ${message}`, { file, cause });
  }
}

/** Of each file, what it looked like when it was first imported. */
const imported = new Map<string, string>();

/** Node imports a file once: whoever lives longer than that would be given what it said then. What it imports in turn is not asked for anew. */
function addressOf(file: string): string {
  const { mtimeNs, size, ino } = statSync(file, { bigint: true });
  const now = `${mtimeNs}-${size}-${ino}`;
  const first = imported.get(file) ?? now;
  imported.set(file, first);
  const { href } = pathToFileURL(file);
  return now === first ? href : `${href}?changed=${now}`;
}

/** Where nothing is left that could end the waiting, Node leaves without a word, and with success. */
async function orNever<T>(importing: Promise<T>, file: string): Promise<T> {
  const { promise: never, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => {
    const message = `${file} cannot be imported: it awaits something that never happens.`;
    reject(new PitonError('WORKFLOW_INVALID', message, { file }));
  };
  process.once('beforeExit', giveUp);
  try {
    return await Promise.race([importing, never]);
  } finally {
    process.off('beforeExit', giveUp);
  }
}

function isDefinition(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && 'workflow' in value && 'functions' in value;
}
