/**
 * Which keys of a repository's own configuration count. Everybody who works in a worktree can write that file, so what could start a
 * program, or send work elsewhere, is taken only as it was when a run began.
 */

/** Taken as they are now: they tell how the repository is laid out, who its user is, and how things look. */
const live: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs|longpaths|hidedotfiles)$/,
  /^core\.(autocrlf|eol|checkroundtripencoding|logallrefupdates|sharedrepository|sparsecheckout|sparsecheckoutcone)$/,
  /^core\.(abbrev|bigfilethreshold|compression|loosecompression|commentchar|preloadindex|commitgraph|multipackindex|whitespace)$/,
  /^extensions\.(objectformat|compatobjectformat|refstorage|preciousobjects|noop)$/,
  /^(user|author|committer)\.(name|email|useconfigonly)$/,
  /^(advice|color|i18n|index|pack)\./,
  /^branch\..+\.(description|merge|pushremote|rebase|remote)$/,
  /^remote\..+\.(url|pushurl|fetch|push|tagopt|prune|prunetags|mirror)$/,
  /^remote\.pushdefault$/,
  /^diff\.(algorithm|colormoved|colormovedws|context|indentheuristic|interhunkcontext|mnemonicprefix|noprefix|renamelimit|renames)$/,
  /^merge\.(conflictstyle|directoryrenames|ff|renamelimit|renames|verifysignatures)$/,
  /^push\.(default|autosetupremote)$/,
];

export function isLive(key: string): boolean {
  return live.some((pattern) => pattern.test(key));
}

/** Of a worktree's own configuration, all that is taken: which files it is to have. */
export function isOfWorktree(key: string): boolean {
  return /^(core\.sparsecheckout|core\.sparsecheckoutcone|index\.sparse)$/.test(key);
}

/** Includes are taken with what they include; the rest would lead git to files that are not ours. */
export const neverTaken = /^(include|includeif)\.|^core\.worktree$|^extensions\.worktreeconfig$/;
