import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join, relative, resolve } from 'node:path';
import { nearest, PitonError } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { Surroundings } from '../surroundings.ts';

/** A workflow of the project: its name is that of its file. */
export interface WorkflowFile {
  readonly name: string;
  readonly file: string;
}

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
export function findWorkflowFile(
  { config, directory }: Pick<Surroundings, 'config' | 'directory'>,
  given: string,
): string {
  const path = resolve(directory, given);
  const isPath = given.includes('/') || endings.has(extname(given));
  if (isPath && isFile(path)) return path;
  const known = workflowFiles(config);
  const found = known.filter(({ name, file }) => name === given || basename(file) === given || file === path);
  if (found.length > 1) throw ambiguous(given, found, directory);
  if (found[0] !== undefined) return found[0].file;
  throw isPath ? noFile(given, path) : noWorkflow(given, known, config);
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
      : `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}.`;
  return new PitonError('WORKFLOW_NOT_FOUND', `There is no workflow ${given} in ${workflows}.`, {
    workflow: given,
    remedy: close === undefined ? list : `Did you mean ${close}?`,
  });
}
