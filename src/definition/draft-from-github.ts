import type { GithubDraft, GithubSource } from './github/draft.ts';

export type { GithubDraft } from './github/draft.ts';

/**
 * A workflow of GitHub Actions (YAML) as a first draft of one of ours, with what is left out. The draft is valid. Throws
 * `DEFINITION_INVALID` for what is no YAML, and `GITHUB_WORKFLOW_UNUSABLE` if there is no job that could be translated.
 */
export async function draftFromGithub(text: string, source: GithubSource): Promise<GithubDraft> {
  const { draftFromGithub: translate } = await import('./github/draft.ts');
  return translate(text, source);
}
