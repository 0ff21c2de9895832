/**
 * Files by which other programs are told what to do: Piton, agents, git, continuous integration. What is merged there is carried out by
 * the next run, by the user's own git, or with the secrets of a server.
 */
// prettier-ignore
const folders: ReadonlySet<string> = new Set([
  '.piton',
  // Agents and editors: settings, hooks, servers that they start.
  '.claude', '.codex', '.gemini', '.opencode', '.goose', '.cursor', '.continue', '.windsurf', '.qwen',
  '.vscode', '.devcontainer',
  // Hooks of git, by the names that are usual.
  '.git', '.githooks', '.husky',
  // Continuous integration.
  '.circleci', '.buildkite', '.woodpecker', '.teamcity',
]);

// prettier-ignore
const files: ReadonlySet<string> = new Set([
  '.mcp.json', 'mcp.json', 'opencode.json', 'opencode.jsonc', '.aider.conf.yml',
  '.gitattributes', '.gitmodules', '.gitconfig', '.lfsconfig',
  '.pre-commit-config.yaml', '.pre-commit-hooks.yaml', 'lefthook.yml', '.lefthook.yml', 'lefthook.yaml',
  '.gitlab-ci.yml', 'jenkinsfile', 'azure-pipelines.yml', 'bitbucket-pipelines.yml', '.travis.yml',
  '.drone.yml', '.cirrus.yml', '.woodpecker.yml', 'appveyor.yml', 'cloudbuild.yaml',
]);

/** Folders whose name alone says nothing. */
const forges: ReadonlySet<string> = new Set(['.github', '.gitlab', '.gitea', '.forgejo']);
const forgeParts: ReadonlySet<string> = new Set(['workflows', 'actions', 'ci']);

/** The part of a path that makes it one; undefined: it is none. Some file systems take capitals for the same. */
export function steeringPartOf(path: string): string | undefined {
  const parts = path.split('/');
  return parts.find((part, index) => {
    const name = part.toLowerCase();
    if (folders.has(name)) return true;
    if (forges.has(name)) return forgeParts.has(parts[index + 1]?.toLowerCase() ?? '');
    return index === parts.length - 1 && files.has(name);
  });
}

/** Those of the paths that nobody has named: a pattern names one only if it says in so many words what makes it steer. */
export function unnamedSteering(
  paths: readonly string[],
  writes: readonly string[],
  mayWrite: (patterns: readonly string[]) => (path: string) => boolean,
): readonly string[] {
  return paths.filter((path) => {
    const part = steeringPartOf(path);
    if (part === undefined) return false;
    const naming = writes.filter((pattern) => pattern.split('/').includes(part));
    return naming.length === 0 || !mayWrite(naming)(path);
  });
}
