/**
 * Files by which other programs are told what to do: Piton, agents, git, continuous integration. What is merged there is carried out by
 * the next run, by the user's own git, or with the secrets of a server.
 */
// prettier-ignore
export const steeringFolders: ReadonlySet<string> = new Set([
  '.piton',
  // Agents and editors: settings, hooks, servers and tasks that they start.
  '.claude', '.codex', '.gemini', '.opencode', '.goose', '.cursor', '.continue', '.windsurf', '.qwen', '.agents', '.amp',
  '.amazonq', '.augment', '.cline', '.copilot', '.crush', '.factory', '.grok', '.junie', '.kilocode', '.kiro', '.openhands',
  '.roo', '.trae', '.vscode', '.zed', '.idea', '.fleet', '.devcontainer',
  // Hooks of git, by the names that are usual.
  '.git', '.githooks', '.git-hooks', '.husky', '.lefthook',
  // Continuous integration.
  '.circleci', '.buildkite', '.woodpecker', '.teamcity', '.semaphore', '.tekton', '.builds', '.azure-pipelines',
]);

// prettier-ignore
const files: ReadonlySet<string> = new Set([
  '.mcp.json', 'mcp.json', 'opencode.json', 'opencode.jsonc', 'crush.json', '.crush.json', '.devcontainer.json',
  '.gitattributes', '.gitmodules', '.gitconfig', '.lfsconfig',
  'jenkinsfile', '.drone.star', '.drone.jsonnet', '.cirrus.star', 'cloudbuild.json',
]);

/** The same of files that end in `.yml` as well as in `.yaml`, `.json` and the like, with and without a dot before. */
// prettier-ignore
const beginnings: ReadonlySet<string> = new Set([
  'aider.conf', 'pre-commit-config', 'pre-commit-hooks', 'lefthook', 'lefthook-local', 'overcommit', 'simple-git-hooks',
  'huskyrc', 'lintstagedrc', 'lint-staged.config',
  'gitlab-ci', 'azure-pipelines', 'bitbucket-pipelines', 'travis', 'drone', 'cirrus', 'woodpecker', 'appveyor', 'cloudbuild',
  'buildkite', 'buildspec', 'bitrise', 'codefresh', 'wercker', 'screwdriver', 'build',
]);
/** Without a dot before, these are anything. */
const dotted: ReadonlySet<string> = new Set([
  'build',
  'drone',
  'cirrus',
  'woodpecker',
  'travis',
  'buildkite',
]);

/** Folders whose name alone says nothing. */
const forges: ReadonlySet<string> = new Set(['.github', '.gitlab', '.gitea', '.forgejo']);
const forgeParts: ReadonlySet<string> = new Set(['workflows', 'actions', 'ci', 'hooks', 'mcp.json']);

/** The same, as paths; files among them are known by their names alone. */
export const forgeFolders: readonly string[] = [...forges].flatMap((forge) =>
  [...forgeParts].filter((part) => !files.has(part)).map((part) => `${forge}/${part}`),
);

/** Names of files, as far as they can be listed: of those that may end in several ways, the usual ones. */
export const steeringFiles: readonly string[] = [
  ...files,
  ...[...beginnings].flatMap((name) => [
    ...['', '.yml', '.yaml'].map((ending) => `.${name}${ending}`),
    ...(dotted.has(name) ? [] : ['.yml', '.yaml'].map((ending) => `${name}${ending}`)),
  ]),
];

/** The part of a path that makes it one; undefined: it is none. */
export function steeringPartOf(path: string): string | undefined {
  const parts = path.split('/');
  return parts.find((part, index) => {
    const name = plainName(part);
    const isLast = index === parts.length - 1;
    if (steeringFolders.has(name)) return true;
    // Itself no folder: a link, behind which there may be all of it.
    if (forges.has(name)) return isLast || forgeParts.has(plainName(parts[index + 1]!));
    return isLast && isSteeringFile(name);
  });
}

function isSteeringFile(name: string): boolean {
  if (files.has(name)) return true;
  const [, dot, beginning = ''] = /^(\.?)(.+?)(?:\.(?:ya?ml|jsonc?|toml|[cm]?[jt]s))?$/.exec(name) ?? [];
  const isNamed = beginnings.has(beginning) && beginning !== name;
  return isNamed && (dot === '.' || !dotted.has(beginning));
}

/** Some file systems take capitals, signs that nobody sees, and dots at the end for the same. */
function plainName(part: string): string {
  const seen = part.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  return seen.replace(/[. ]+$/, '').toLowerCase();
}

/** Whether a pattern says in so many words what makes a path steer: `**` does not. */
export function namesSteering(patterns: readonly string[], part: string): boolean {
  return patterns.some((pattern) => pattern.split('/').includes(part));
}
