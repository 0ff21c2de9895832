import type { Finding, Path } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';

const ofRuns = [
  ['budget', 'budget'],
  ['usageLimits', 'usage-limits'],
  ['base', 'base'],
] as const;

/** What a workflow says of its runs does not hold where it is a part of another run. */
export function suggestChild({ work }: TaskDraft, at: Path): Finding[] {
  if (work.type !== 'workflow') return [];
  const { workflow } = work;
  return ofRuns
    .filter(([field]) => workflow[field] !== undefined)
    .map(([, key]) => ({
      at: [...at, 'uses'],
      message: `\`${key}\` of \`${workflow.name}\` counts only where that is run by itself.`,
      remedy: 'Set it in this file too, if it is to hold for these runs.',
    }));
}
