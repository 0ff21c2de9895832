import { headOfRun, listRefs, type Git } from '../git/index.ts';
import type { RemoteRequest } from './ports.ts';

/** What a place begins from that is not there yet. */
export async function beginningOf(git: Git, request: RemoteRequest): Promise<string> {
  const { run, task, repository, isAdopted, tip } = request;
  const refs = await listRefs(git, repository);
  return headOfRun(git, repository, { run, task, refs, tip, base: repository.base, isAdopted });
}
