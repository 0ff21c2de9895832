import type { Finding, Path } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';

const ofRuns = [
  ['budget', 'budget'],
  ['usageLimits', 'usage-limits'],
  ['base', 'base'],
  ['cleanup', 'cleanup'],
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

/** There is one branch for all that a run makes: a part of the run cannot deliver it before the rest is there. */
export function checkChild({ work }: TaskDraft, at: Path): Finding[] {
  if (work.type !== 'workflow') return [];
  const { name, tasks } = work.workflow;
  const delivers = 'deliver' in work.workflow && work.workflow.deliver !== undefined;
  if (!delivers && !tasks.some((task) => task.work.type === 'deliver')) return [];
  const message = `\`${name}\` delivers by itself, and so it cannot be a part of another workflow.`;
  const inCode = { remedy: 'Move its `deliver` to the settings of this workflow.' };
  const remedy = 'Move its `deliver` to the top of this workflow.';
  return [{ at: [...at, 'uses'], message, remedy, inCode }];
}
