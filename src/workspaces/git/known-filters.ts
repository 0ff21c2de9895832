/** Filters without which files would come into git as they must not: large, or readable. */
export interface KnownFilter {
  readonly program: string;
  /** How the program is made ready in a repository. */
  readonly setup: string;
  /** Whether this could be what the filter makes of a file. */
  isFiltered(content: Buffer): boolean;
}

const lfs: KnownFilter = {
  program: 'git-lfs',
  setup: 'git lfs install',
  isFiltered: (content) => content.length <= 1024 && /^version https?:\/\/\S+\/spec\//.test(headOf(content)),
};

const crypt: KnownFilter = {
  program: 'git-crypt',
  setup: 'git-crypt unlock',
  isFiltered: (content) => headOf(content).startsWith('\0GITCRYPT\0'),
};

/** By the name in the attribute: git-crypt has one for each of its keys. */
export function knownFilter(name: string): KnownFilter | undefined {
  if (name === 'lfs') return lfs;
  return /^git-crypt(-.+)?$/.test(name) ? crypt : undefined;
}

function headOf(content: Buffer): string {
  return content.toString('latin1', 0, 100);
}

/** What to do about a filter that does not work. `command`: what git tried to start. */
export function filterRemedy(name: string, command: string | undefined): string {
  const key = `filter.${name}.clean (or .smudge, .process)`;
  const known = knownFilter(name);
  if (known === undefined) {
    const program = command === undefined ? 'The program' : `\`${command}\``;
    return `${program} of the filter '${name}' must be installed and on the PATH of Piton; ${key} of git's configuration names it.`;
  }
  const { program, setup } = known;
  return `Install ${program}, and run \`${setup}\`: it sets ${key} of git's configuration. Then try again.`;
}
