/** Files that belong to a filter, such as that of git-lfs, and have come into a commit without it. */
import { dirname, join } from 'node:path';
import { PitonError, someNames } from '../../base/index.ts';
import { withAttributes } from './attributes.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { filterRemedy, knownFilter } from './known-filters.ts';
import { findObjects, readObjects } from './objects.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';
import { attributesName, readSmall } from './repository-parts.ts';

interface Looked {
  readonly commit: string;
  /** What was changed in it. */
  readonly paths: readonly string[];
}

interface Filtered {
  readonly path: string;
  readonly filter: string;
}

/** By what the files hold: whoever has committed them may have had no filter. Throws FILTER_MISSING. */
export async function assertFiltered(git: Git, repository: RepositoryPlace, looked: Looked): Promise<void> {
  if (!(await hasFilters(git, repository, looked))) return;
  const files = (await filtersOf(git, repository, looked)).filter(({ filter }) => knownFilter(filter));
  if (files.length === 0) return;
  const configured = await configuredFilters(git, repository);
  const lost = files.filter(({ filter }) => !configured.has(filter));
  if (lost.length > 0) throw filterMissing(lost);
  const plain: Filtered[] = [];
  for (const file of files)
    if (!(await isFiltered(git, repository, { ...file, ...looked }))) plain.push(file);
  if (plain.length > 0) throw unfiltered(plain);
}

/** An empty file is left as it is by these filters. */
async function isFiltered(
  git: Git,
  repository: RepositoryPlace,
  { commit, path, filter }: Filtered & Looked,
): Promise<boolean> {
  try {
    const [found] = await readObjects(git, repository, [`${commit}:${path}`]);
    if (found?.type !== 'blob' || found.content.length === 0) return true;
    return knownFilter(filter)!.isFiltered(found.content);
  } catch (error) {
    if (gitFailureReason(error) !== 'size') throw error;
    return false;
  }
}

/** Without a process of git, since most repositories have none. */
async function hasFilters(
  git: Git,
  repository: RepositoryPlace,
  { commit, paths }: Looked,
): Promise<boolean> {
  if (paths.length === 0) return false;
  const folders = new Set(paths.flatMap(foldersOf));
  const names = [...folders].map((folder) => `${commit}:${join(folder, '.gitattributes')}`);
  const files = await readObjects(git, repository, names);
  const own = await readSmall(join(repository.commonDir, attributesName));
  return [own, ...files.map((file) => file?.content.toString('latin1') ?? '')].some((text) =>
    /\bfilter=/.test(text),
  );
}

function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [''] : [folder, ...foldersOf(folder)];
}

/** Of the files that are there. */
async function filtersOf(
  git: Git,
  repository: RepositoryPlace,
  { commit, paths }: Looked,
): Promise<readonly Filtered[]> {
  const names = paths.map((path) => `${commit}:${path}`);
  const found = await findObjects(git, repository, names);
  const input = paths.filter((_, index) => found[index] !== undefined).map((path) => `${path}\0`);
  const args = ['check-attr', '-z', '--stdin', 'filter'];
  const { stdout } = await withAttributes(git, { repository, commit }, (setting) =>
    git.run(args, { ...setting, input: input.join('') }),
  );
  const parts = splitAtZeros(stdout);
  return input.map((_, index) => ({ path: parts[index * 3]!, filter: parts[index * 3 + 2]! }));
}

async function configuredFilters(git: Git, repository: RepositoryPlace): Promise<ReadonlySet<string>> {
  const args = ['config', '--name-only', '-z', '--get-regexp', String.raw`^filter\..*\.(clean|process)$`];
  const { stdout } = await git.run(args, { ...inRepository(repository), okCodes: [0, 1] });
  return new Set(splitAtZeros(stdout).map((key) => key.slice('filter.'.length, key.lastIndexOf('.'))));
}

function filterMissing(files: readonly Filtered[]): PitonError {
  return refusal(files, {
    what: 'which is not set up here',
    remedy: filterRemedy(files[0]!.filter, undefined),
  });
}

function unfiltered(files: readonly Filtered[]): PitonError {
  const remedy =
    'In its folder: git add --renormalize . && git commit, then `piton retry`; or `piton workspace adopt` takes it as it is. What was committed before stays in the history of its branch.';
  return refusal(files, { what: 'but was committed as it is', remedy });
}

function refusal(
  files: readonly Filtered[],
  { what, remedy }: { readonly what: string; readonly remedy: string },
): PitonError {
  const { filter } = files[0]!;
  const paths = files.map(({ path }) => path);
  const whose = `${knownFilter(filter)!.program} (filter=${filter})`;
  return new PitonError('FILTER_MISSING', `${someNames(paths, 1)}: of ${whose}, ${what}.`, {
    files: paths,
    filter,
    remedy,
  });
}

/** The same, told by git before anything was committed. */
export function filterFailed(error: PitonError): PitonError {
  const { remedy = '', details } = error;
  const said = String(details['stderr']);
  const [, path = 'A file', filter = ''] = /^fatal: (.+): clean filter '?(.+?)'? failed$/m.exec(said) ?? [];
  const message = `${path} belongs to the filter '${filter}', which is not set up here, or fails: nothing was committed. Git said: ${said}`;
  return new PitonError('FILTER_MISSING', message, {
    ...details,
    files: [path],
    filter,
    remedy,
    cause: error,
  });
}
