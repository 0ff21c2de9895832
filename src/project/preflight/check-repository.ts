import { askGit, findTool } from '../../base/index.ts';
import { mentionsGit } from '../../library/index.ts';
import type { Workflow } from '../../model/index.ts';
import { baseMissing, isBaseMissing } from '../plan/check-base.ts';
import { isInRepository } from '../plan/plan-places.ts';
import { checkPullRequests } from './check-pull-requests.ts';
import type { Lack } from './finding.ts';
import type { CheckedRepository } from './checked-task.ts';

/** What is missing of the repository, and of what pull requests need. Git is asked only where the workflow needs it. */
export async function checkRepository(repository: CheckedRepository): Promise<Lack[]> {
  const { workflow, places, config, env } = repository;
  const isInGit = places.some(({ place }) => place.mode === 'worktree' || place.mode === 'remote');
  const isNamed = mentionsGit(workflow);
  if (!isInGit && !isNamed) return [];
  if (findTool('git', env['PATH']) === undefined) return [noGit()];
  const missing = lackOfRepository(config.root);
  if (missing !== undefined)
    return isNamed ? [{ ...missing, key: repository.deliveries.length > 0 ? 'deliver' : 'workspace' }] : [];
  return [
    ...checkBase(workflow, config.root),
    ...(repository.deliveries.length === 0 && isInGit ? checkHead(config.root) : []),
    ...(await checkPullRequests(repository)),
  ];
}

const ofWorkflow = { task: [], kind: 'repository' } as const;

function noGit(): Lack {
  const message = '`git` is not on the PATH, and tasks are to work in worktrees.';
  return {
    ...ofWorkflow,
    key: 'workspace',
    level: 'error',
    message,
    remedy: 'Install it, or say `workspace: shared`.',
  };
}

/** Undefined: there is one, or git does not tell. */
function lackOfRepository(root: string): Lack | undefined {
  const remedy =
    'Make one (`git init`, and commit something), or take `workspace` or `deliver` out of the workflow.';
  const lack = { ...ofWorkflow, key: 'workspace', level: 'error', remedy } as const;
  if (!isInRepository(root))
    return { ...lack, message: `It wants worktrees or a pull request, and ${root} is in no git repository.` };
  if (hasCommit(root) || askGit(['rev-parse', '--git-dir'], root) === undefined) return undefined;
  return { ...lack, message: `The git repository of ${root} has no commit that work could begin from.` };
}

function hasCommit(root: string): boolean {
  return askGit(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], root) !== undefined;
}

function checkBase({ base }: Workflow, root: string): Lack[] {
  if (base === undefined || !isBaseMissing(base, root)) return [];
  return [{ ...ofWorkflow, key: 'base', level: 'error', ...baseMissing(base) }];
}

/** Only `piton merge` minds: whoever delivers otherwise needs no branch. */
function checkHead(root: string): Lack[] {
  if (askGit(['symbolic-ref', '--quiet', 'HEAD'], root) !== undefined) return [];
  const message = 'No branch is checked out (HEAD is detached): `piton merge` will need one.';
  return [
    {
      ...ofWorkflow,
      key: 'workspace',
      level: 'warning',
      message,
      remedy: 'Check one out before you merge: git switch <branch>.',
    },
  ];
}
