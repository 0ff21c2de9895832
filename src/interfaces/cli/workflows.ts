import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asError, errorText, nearest, PitonError, readBounded } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { Problem } from '../../definition/index.ts';
import type { Definition } from '../../library/index.ts';
import { functionsOf, type Workflow } from '../../model/index.ts';
import type { Context } from './context.ts';

/** A workflow of the project: its name is that of its file. */
export interface WorkflowFile {
  readonly name: string;
  readonly file: string;
}

export interface ParsedFile {
  readonly workflow: Workflow;
  readonly suggestions: readonly Problem[];
}

type Trust = Pick<Context, 'requireTrust'>;

const dataEndings = ['.yaml', '.yml'];
const codeEndings = ['.ts', '.mts', '.js', '.mjs'];
const endings: ReadonlySet<string> = new Set([...dataEndings, ...codeEndings]);

export function nameOf(file: string): string {
  return basename(file, extname(file));
}

/** Written as data (YAML), not as a program. */
export function isData(file: string): boolean {
  return !codeEndings.includes(extname(file));
}

/** The workflows in `.piton/workflows`, by name. */
export function workflowFiles({ workflows }: Config): WorkflowFile[] {
  if (!existsSync(workflows)) return [];
  return readdirSync(workflows, { withFileTypes: true })
    .filter(
      (entry) => !entry.isDirectory() && endings.has(extname(entry.name)) && !entry.name.endsWith('.d.ts'),
    )
    .map(({ name }) => ({ name: nameOf(name), file: join(workflows, name) }))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** The file that is meant by a name or a path. Throws `WORKFLOW_NOT_FOUND`, `WORKFLOW_AMBIGUOUS`. */
export function findWorkflowFile(context: Pick<Context, 'config' | 'directory'>, given: string): string {
  const path = resolve(context.directory, given);
  const isPath = given.includes('/') || endings.has(extname(given));
  if (isPath && isFile(path)) return path;
  const known = workflowFiles(context.config);
  const found = known.filter(({ name, file }) => name === given || basename(file) === given);
  if (found.length > 1) throw ambiguous(given, found, context.directory);
  if (found[0] !== undefined) return found[0].file;
  throw isPath ? noFile(given, path) : noWorkflow(given, known, context.config);
}

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
    return await orNever(import(pathToFileURL(file).href) as Promise<unknown>, file);
  } catch (cause) {
    if (cause instanceof PitonError) throw cause;
    const message = errorText(asError(cause), 'message') ?? 'an error that cannot be shown';
    throw new PitonError('WORKFLOW_INVALID', `${file} cannot be imported: ${message}`, { file, cause });
  }
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

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function ambiguous(given: string, found: readonly WorkflowFile[], directory: string): PitonError {
  const files = found.map(({ file }) => relative(directory, file));
  return new PitonError('WORKFLOW_AMBIGUOUS', `Several files are called ${given}: ${files.join(', ')}.`, {
    files,
    remedy: 'Name one of them by its path.',
  });
}

function noFile(given: string, path: string): PitonError {
  return new PitonError('WORKFLOW_NOT_FOUND', `There is no workflow file ${given}.`, {
    file: path,
    remedy: 'Check the path.',
  });
}

function noWorkflow(given: string, known: readonly WorkflowFile[], { workflows }: Config): PitonError {
  const names = known.map(({ name }) => name);
  const close = nearest(given, names);
  const list =
    names.length === 0
      ? 'There are none: make an example with piton init.'
      : `There are ${names.join(', ')}.`;
  return new PitonError('WORKFLOW_NOT_FOUND', `There is no workflow ${given} in ${workflows}.`, {
    workflow: given,
    remedy: close === undefined ? list : `Did you mean ${close}?`,
  });
}
