/** Those by which git starts a program, reads more configuration, or talks to somebody else. */
const executing: readonly RegExp[] = [
  /^(alias|browser|credential|difftool|filter|gpg|guitool|hook|http|imap|include|includeif|instaweb|man|mergetool|pager)\./,
  /^(protocol|receive|sendemail|ssh|trailer|uploadpack|url)\./,
  /^core\.(alternaterefscommand|askpass|attributesfile|editor|fsmonitor|gitproxy|hookspath|pager|sshcommand|virtualfilesystem|worktree)$/,
  /^diff\.(external|tool)$|^diff\..+\.(command|textconv)$/,
  /^merge\.(default|tool)$|^merge\..+\.driver$/,
  /^extensions\.partialclone$/,
  /^(gc\.recentobjectshook|init\.templatedir|interactive\.difffilter|sequence\.editor)$/,
  /^lfs\.(customtransfer|extension)\.|^lfs\.standalonetransferagent$/,
  /^remote\..+\.(partialclonefilter|promisor|proxy|receivepack|uploadpack|vcs)$/,
  /^submodule\..+\.update$/,
  /^tar\..+\.command$|^svn\.authorsprog$/,
];

export function isExecuting(key: string): boolean {
  return executing.some((pattern) => pattern.test(key));
}

/** Never obeyed by Piton's git, whatever they say; the last is how a partial clone knows where its objects are. */
const harmless: readonly RegExp[] = [
  /^core\.(fsmonitor|hookspath)$/,
  /^alias\./,
  /^extensions\.partialclone$|^remote\..+\.(partialclonefilter|promisor)$/,
];

/** Keys that Piton's git obeys as they were when a run began, and that start a program, include a file or lead elsewhere. */
export function isObeyed(key: string): boolean {
  return isExecuting(key) && !harmless.some((pattern) => pattern.test(key));
}
