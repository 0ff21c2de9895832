import { withOwnPath } from '../../base/index.ts';

/**
 * Of the variables that steer git, those that say who the user is and how their git is installed. All others (GIT_DIR,
 * GIT_INDEX_FILE, GIT_TRACE…) would make our git work in another place or print what we do not expect.
 */
const inherited =
  /^GIT_(CONFIG_.*|EXEC_PATH|TEMPLATE_DIR|SSH|SSH_COMMAND|SSH_VARIANT|SSL_.*|HTTP_.*|PROXY_.*|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|(AUTHOR|COMMITTER)_(NAME|EMAIL))$/;

/** Crash points are for the process that was told so, not for what it starts. */
const ownVariables = /^PITON_(CRASH_AT|STOP_AT|CRASH_LOG)$/;

/** Says of a git that stays when it was started. */
export const sessionVariable = 'PITON_GIT_SESSION';

const imposed: Readonly<Record<string, string>> = {
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'never',
  GIT_OPTIONAL_LOCKS: '0',
  // An object is what its name says: a replacement could make work look as if it were kept.
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_MERGE_AUTOEDIT: 'no',
  LC_ALL: 'C',
  LANGUAGE: 'C',
};

const settings: readonly string[] = [
  // Neither the user's hooks nor those an agent has written.
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.splitIndex=false',
  'core.safecrlf=false',
  // Else git marks files as unchanged for good, and work in them is not seen.
  'core.ignoreStat=false',
  // Else it takes a file of the same size for unchanged when its time was set back.
  'core.trustctime=true',
  'core.checkStat=default',
  'core.quotePath=false',
  'commit.gpgsign=false',
  'tag.gpgsign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  // Else a log is a program that is asked about every commit.
  'log.showSignature=false',
  'advice.addEmbeddedRepo=false',
  'advice.detachedHead=false',
  'i18n.commitEncoding=utf-8',
  'i18n.logOutputEncoding=utf-8',
  'protocol.ext.allow=never',
  // Two Pitons on one repository are normal: they wait for each other's short locks.
  'core.filesRefLockTimeout=1000',
  'core.packedRefsTimeout=10000',
];

export function gitEnvironment(
  given: Readonly<Record<string, string | undefined>>,
  marker: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(withOwnPath(given))) {
    if (value !== undefined && isPassedOn(name)) env[name] = value;
  }
  return Object.freeze({ ...env, ...imposed, ...marker });
}

function isPassedOn(name: string): boolean {
  if (ownVariables.test(name)) return false;
  return !name.startsWith('GIT_') || inherited.test(name);
}

export function gitSettings(durability: 'full' | 'process'): readonly string[] {
  // Left alone, git syncs next to nothing: after a power loss a ref could point to an object that is not there.
  const all = durability === 'full' ? [...settings, 'core.fsync=all'] : [...settings, 'core.fsync=none'];
  return Object.freeze(all.flatMap((setting) => ['-c', setting]));
}
