/** What a driver does to bring work in, step by step, as a process that can be killed anywhere and started again. */
import type { IntegrateRequest } from '../../src/workspaces/index.ts';
import type { Git } from '../../src/workspaces/git/index.ts';
import { integrateResult } from '../../src/workspaces/worktree/integrate-result.ts';

/** All checks pass. */
export async function bringIn(git: Git, request: IntegrateRequest): Promise<string> {
  const prepare = (): Promise<never> => Promise.reject(new Error('the worktree is gone'));
  const found = await integrateResult({ git, prepare }, request);
  if (found.type !== 'proposed') return found.type;
  return (await integrateResult({ git, prepare }, { ...request, verified: found })).type;
}
