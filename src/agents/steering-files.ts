/**
 * What the agents themselves, git and Piton obey when they start. Whoever may write there may do anything, if not now then
 * next time: so it is no part of the files that an agent may edit unasked.
 */
const steeringFolders: readonly string[] = ['.git', '.piton', '.claude', '.codex', '.gemini', '.opencode'];
export const steeringFiles: readonly string[] = ['.mcp.json', 'opencode.json', 'opencode.jsonc'];

/** Those that can be told from where the agent works: that may itself be below one of them. */
export function steeringFoldersFrom(directory: string): readonly string[] {
  const above = directory.split(/[/\\]/);
  return steeringFolders.filter((folder) => !above.includes(folder));
}

/** Whether a path, from where the agent works, leads there. Some file systems take capitals for the same. */
export function isSteering(path: string): boolean {
  const parts = path.toLowerCase().split(/[/\\]/);
  return parts.some((part) => steeringFolders.includes(part)) || steeringFiles.includes(parts.at(-1)!);
}
