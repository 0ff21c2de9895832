import { existsSync } from 'node:fs';
import { basename, extname, join, relative, resolve } from 'node:path';
import { asError, PitonError, readBounded, shellWord } from '../../base/index.ts';
import { draftFromGithub, type GithubDraft } from '../../definition/index.ts';
import { writeNew } from '../project-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import { workflowFiles } from './workflow-files.ts';

export interface ImportedWorkflow extends GithubDraft {
  /** Where it was written. */
  readonly file: string;
  readonly name: string;
}

type Place = Pick<Surroundings, 'config' | 'directory'>;

/**
 * Writes a draft of a workflow of GitHub Actions beside the other workflows, under the same name. Throws `WORKFLOW_NOT_FOUND`,
 * `WORKFLOW_EXISTS`, `DEFINITION_INVALID`, `GITHUB_WORKFLOW_UNUSABLE`.
 */
export async function importGithub(
  { config, directory }: Place,
  given: string,
  { replace }: { readonly replace: boolean },
): Promise<ImportedWorkflow> {
  const path = resolve(directory, given);
  const name = nameFor(path);
  const there = workflowFiles(config).find((known) => known.name === name)?.file;
  if (there !== undefined && !replace) throw exists(relative(directory, there), given);
  const origin = relative(directory, path);
  const draft = await draftFromGithub(readText(path, given), { file: origin, name });
  const file = there ?? join(config.workflows, `${name}.yaml`);
  if (!writeNew(file, draft.yaml, { replace })) throw exists(relative(directory, file), given);
  return { ...draft, file, name };
}

/** Any name can be typed in a shell, and none is an option or a path. */
function nameFor(path: string): string {
  const name = basename(path, extname(path))
    .replaceAll(/[^\w-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'imported' : name;
}

function readText(path: string, given: string): string {
  if (existsSync(path)) {
    try {
      return readBounded(path).toString('utf8');
    } catch (cause) {
      throw notFound(`${given} cannot be read: ${asError(cause).message}.`, cause);
    }
  }
  throw notFound(`There is no file ${given}.`);
}

function notFound(message: string, cause?: unknown): PitonError {
  const remedy = 'Give the path of a workflow of GitHub Actions, such as .github/workflows/ci.yml.';
  return new PitonError('WORKFLOW_NOT_FOUND', message, { remedy, ...(cause !== undefined && { cause }) });
}

function exists(file: string, given: string): PitonError {
  return new PitonError('WORKFLOW_EXISTS', `${file} is there already, and was not changed.`, {
    file,
    remedy: `Replace it: piton init --from-github ${shellWord(given)} --force`,
  });
}
